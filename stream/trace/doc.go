// Package trace keeps, filters and writes the steps of a run ([stream.Step]).
//
// A [Recorder] is the hook that a run is given. It keeps so many steps and no more, and of one key if
// it is told so: a trace without a bound or a filter helps nobody.
//
//	r := trace.NewRecorder(trace.Options{Max: 1000, Key: "r-7"})
//	job.SetTrace(r.Record)
//	…
//	trace.Write(w, r.Trace())
//
// The same steps are what a failure prints ([Lines]), what golden timelines expect, what the pictures
// of the docs are drawn from, and, as JSON ([Write]), what a browser plays.
//
// # The JSON
//
// One object a line. The first one describes the trace:
//
//	{"trace":1,"steps":3,"missing":0,"key":"r-7"}
//
// "trace" is the version of this format. "missing" is how many earlier steps the bound has cost, "key"
// the filter, if there is one. Each further line is a step; what does not apply is left out:
//
//	n          number of the step in the run, from 1; steps of other keys are counted
//	uid        the operator; subtask is which of its instances, from 0
//	kind       "element", "control", "set", "clear", "set timer", "delete timer", "fire timer", "emit",
//	           "drop", "forward", "snapshot", "commit" or "channel"
//	input      the task's input channel, or the source's partition
//	key        the current key
//	name       the state, side output, reason, control element ("watermark", "barrier", …) or status
//	entry      a map's key, as text; of a source's element its offset
//	value      the value as JSON, where it has a form in JSON; show is its text, as timelines print it
//	at_ms      event time in ms: of the element or timer, or the watermark. The end of time is
//	           9223372036854775807, more than a JavaScript number holds exactly; it is still the greatest
//	window     {"start_ms","end_ms"}, the end not included: of the timer, or the entry if it is a window
//
// Fields may be added; none changes its meaning without a new version.
package trace
