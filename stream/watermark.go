package stream

// Signal is what a valve or a source's watermark generator wants passed on: at most one watermark and
// at most one change of status. An Active goes on before the watermark, which an idle channel would
// lose; an Idle after it.
type Signal struct {
	Watermark Time        // NoTime: none
	Status    ControlKind // Idle or Active: a change; NoControl: none
}

// Nothing is the empty signal.
var Nothing = Signal{Watermark: NoTime}

// Valve combines the watermarks and the idleness of a task's input channels into the task's own
// (Flink: StatusWatermarkValve). Lab 05 implements it.
type Valve interface {
	Watermark(input int, t Time) Signal
	Idle(input int) Signal
	Active(input int) Signal
}

// SplitWatermarks turns the timestamps that a source subtask sees on each of its splits into one
// watermark: the least over the splits that are neither idle nor finished. Lab 05 implements it.
// Every split is added before the first Emit.
type SplitWatermarks interface {
	Add(split int)
	// Event tells of an element. It never lowers a split's watermark.
	Event(split int, t Time)
	// Finish takes a split out: it will have no more elements.
	Finish(split int)
	// Emit is called at every periodic probe; now is processing time, for idleness.
	Emit(now Time) Signal
	// Paused lists the splits that should wait because their watermark has drifted too far ahead
	// of the least one (alignment, exercise 5e); nil if none.
	Paused() []int
}

// ChannelTime is what a SplitWatermarks knows of a split, or a Valve of an input. It answers what
// holds time back.
type ChannelTime struct {
	Channel   int  `json:"channel"`    // the split, or the input
	Watermark Time `json:"watermark"`  // its own; NoTime before the first
	LastEvent Time `json:"last_event"` // of a split: timestamp of its last element; NoTime if there was none
	Idle      bool `json:"idle"`       // not waited for
	Ended     bool `json:"ended"`      // no more elements
	Paused    bool `json:"paused"`     // of a split: waits for slower ones
	Unaligned bool `json:"unaligned"`  // of an input: back from idleness, still behind the task's watermark, not waited for
}

// Status is the word for how the channel counts; "active" if it is waited for.
func (c ChannelTime) Status() string {
	switch {
	case c.Ended:
		return "ended"
	case c.Idle:
		return "idle"
	case c.Paused:
		return "paused"
	case c.Unaligned:
		return "unaligned"
	}
	return "active"
}

// TimeReporter is a SplitWatermarks or a Valve that can say what it waits for; found by assertion.
type TimeReporter interface {
	// Channels is every split or input, ascending. The slice is valid until the next call.
	Channels() []ChannelTime
}
