package windows

// refuse takes an element that no window takes any more. With a side output it goes there, stamped
// with its own time, and counts as late; without one it counts as dropped. Never neither.
func (o *Operator[In, Acc, Res, Out]) refuse(in In) {
	//lab:begin 4f
	if o.late == nil {
		o.dropped.Add(1)
		o.c.Drop(CountDropped, in)
		return
	}
	o.lates.Add(1)
	o.late.Collect(in)
	//lab:end
}
