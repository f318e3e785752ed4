package watermarks

import "gatewaymeter/stream"

// valve combines the watermarks of a task's inputs (Flink: StatusWatermarkValve).
//
// An input is one of three. Active and aligned: it counts. Idle: it has nothing to say, and does not
// count. Active and not aligned: it has come back from idleness, but its watermark is still behind
// what the task has already told others; it does not count until it has caught up, since time cannot
// be taken back.
//
// It looks at all inputs for each watermark. Flink keeps a heap of the aligned ones; at the few
// inputs of one machine a scan is faster.
type valve struct {
	inputs []valveInput
	out    stream.Time // the last watermark given out; NoTime before the first
	idle   bool        // Idle was the last status given out
	report []stream.ChannelTime
}

// valveInput is what is known of one input.
type valveInput struct {
	watermark stream.Time // its highest; NoTime before the first
	idle      bool
	aligned   bool
}

// NewValve makes the valve of a task with so many inputs. At first all are active and aligned.
func NewValve(inputs int) stream.Valve {
	v := &valve{inputs: make([]valveInput, inputs), out: stream.NoTime}
	for i := range v.inputs {
		v.inputs[i] = valveInput{watermark: stream.NoTime, aligned: true}
	}
	return v
}

// Watermark takes a watermark in. One from an idle input is dropped, and so is one that is not higher
// than the input's last. An input that is not aligned becomes so when its watermark is at or above
// the last one given out. What is given out is the least over the aligned inputs, if it has risen.
//
// The end of an input is a watermark at MaxTime: it then holds nobody back.
func (v *valve) Watermark(input int, t stream.Time) stream.Signal {
	//lab:begin 5d
	in := &v.inputs[input]
	if in.idle || t <= in.watermark {
		return stream.Nothing
	}
	in.watermark = t
	if !in.aligned && t >= v.out {
		in.aligned = true
	}
	return stream.Signal{Watermark: v.rise(v.least())}
	//lab:end
}

// Idle takes an input out. If it was the one that held time back (its watermark is the last one given
// out), a higher least may be found among the aligned inputs that are left. If it was the last active
// input, the task goes idle; then no input will advance, and instead of the least the highest
// watermark over all inputs is given out, under the same condition.
func (v *valve) Idle(input int) stream.Signal {
	//lab:begin 5d
	in := &v.inputs[input]
	if in.idle {
		return stream.Nothing
	}
	in.idle, in.aligned = true, false
	signal := stream.Nothing
	heldBack := in.watermark == v.out
	switch {
	case !v.anyActive():
		v.idle = true
		signal.Status = stream.Idle
		if heldBack {
			signal.Watermark = v.rise(v.highest())
		}
	case heldBack:
		signal.Watermark = v.rise(v.least())
	}
	return signal
	//lab:end
}

// Active takes an input in again: aligned at once if its watermark is at or above the last one given
// out, else when it has caught up. The first active input makes the task active.
func (v *valve) Active(input int) stream.Signal {
	//lab:begin 5d
	in := &v.inputs[input]
	if !in.idle {
		return stream.Nothing
	}
	in.idle, in.aligned = false, in.watermark >= v.out
	signal := stream.Nothing
	if v.idle {
		v.idle = false
		signal.Status = stream.Active
	}
	return signal
	//lab:end
}

//lab:begin 5d

// least is the lowest watermark over the aligned inputs; NoTime if there is none: with nobody to ask,
// nothing is known, least of all that time has ended (FLINK-7721).
func (v *valve) least() stream.Time {
	least, any := stream.MaxTime, false
	for i := range v.inputs {
		if in := &v.inputs[i]; in.aligned {
			least, any = min(least, in.watermark), true
		}
	}
	if !any {
		return stream.NoTime
	}
	return least
}

func (v *valve) highest() stream.Time {
	highest := stream.NoTime
	for i := range v.inputs {
		highest = max(highest, v.inputs[i].watermark)
	}
	return highest
}

func (v *valve) anyActive() bool {
	for i := range v.inputs {
		if !v.inputs[i].idle {
			return true
		}
	}
	return false
}

// rise gives t out if it is higher than all before; else NoTime.
func (v *valve) rise(t stream.Time) stream.Time {
	if t <= v.out {
		return stream.NoTime
	}
	v.out = t
	return t
}

//lab:end

// Channels reports every input (stream.TimeReporter).
func (v *valve) Channels() []stream.ChannelTime {
	v.report = v.report[:0]
	for i, in := range v.inputs {
		v.report = append(v.report, stream.ChannelTime{
			Channel:   i,
			Watermark: in.watermark,
			LastEvent: stream.NoTime,
			Idle:      in.idle,
			Ended:     in.watermark == stream.MaxTime,
			Unaligned: !in.idle && !in.aligned,
		})
	}
	return v.report
}
