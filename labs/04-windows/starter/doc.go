// Package windows is lab 04: a stream without end, cut into pieces that can be billed.
//
// An [Assigner] says which windows an element belongs to: [NewTumbling], [NewSliding], [NewSession].
// The window operator ([New]) folds each element into its windows, fires a window when the watermark
// has passed its end, corrects it for as long as late elements are allowed ([Allowed]), and then
// forgets it. [NewMinuteInvoice] is the job's use of it: what each tenant owes, minute by minute.
//
// It promises Flink's semantics (WindowOperator with EventTimeTrigger): a firing is cumulative, its
// timestamp is the window's last instant, and an element that no window takes any more is handed out
// or counted, never lost without a trace. It leaves to others where watermarks come from (lab 05),
// the timers themselves (lab 06), and what a sink does with a corrected bill (investigation 4.1).
package windows
