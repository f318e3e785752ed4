package windows

import "gatewaymeter/stream"

// merge makes room for a new session window w beside those that the current key has in flight, and
// returns the window that the element goes into (Flink: MergingWindowSet.addWindow).
//
// Where w meets none of them it stays as it is, and nothing is stored yet. Where it lies inside one of
// them, that one stays as it is, timers included (FLINK-4589). Otherwise the windows that it meets
// become one, from their accumulators merged in the order of their starts, and all that belonged to
// them goes: their state, their firing timers and their cleanup timers. The timers of the window that
// comes out are not set here: the element is added to it next, and that sets them, or fires it if its
// time has passed. A timer set here as well would then fire it twice (FLINK-9201).
func (o *Operator[In, Acc, Res, Out]) merge(w stream.Window) stream.Window {
	//lab:begin 4g
	o.live = o.live[:0]
	for other := range o.panes.All() {
		o.live = append(o.live, other)
	}
	cover, parts := Absorb(o.live, w, o.parts[:0])
	o.parts = parts
	if len(parts) == 0 || (len(parts) == 1 && parts[0] == cover) {
		return cover
	}
	merged := o.config.Aggregate.Create()
	for _, part := range parts {
		if acc, ok := o.panes.Get(part); ok {
			o.config.Aggregate.Merge(&merged, acc)
		}
		o.clear(part)
		o.c.DeleteWindowTimer(o.config.Retention.CleanupTime(part), part)
	}
	o.panes.Put(cover, merged)
	return cover
	//lab:end
}
