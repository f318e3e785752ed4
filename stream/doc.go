// Package stream holds the contracts of a stateful stream engine: what the labs implement, what jobs
// are written against, and what package engine runs. It depends on nothing. Read it first.
//
// # The picture
//
//	     element key="r-7"
//	          │
//	┌─────────▼──────────────────────────── subtask 2 of "assemble" ┐
//	│  SetKey(group 81, "r-7")                                      │
//	│      │ opens the drawer                                       │
//	│   ┌──▼───────── drawer of "r-7" ──────────┐                   │
//	│   │ slot "open"    {tenant-3 model-a 512} │◄── Value handle   │
//	│   │ slot "timers"  {t=5m}                 │◄── TimerService   │
//	│   └───────────────────────────────────────┘                   │
//	│  ProcessElement(c, element, out)                              │
//	└─────────┬─────────────────────────────────────────────────────┘
//	          ▼ out.Collect
//
// A stream is split over subtasks by key. A subtask keeps one drawer for each key that it has seen,
// and before it calls a function it opens the drawer of the element's key. Every handle ([Value],
// [List], [Map], [Reducing], [Aggregating]) looks into the open drawer. That is all there is to keyed
// state: the handle is a view, the key comes from the element, and no function can reach the drawer
// of another key.
//
// # Elements
//
// What flows between subtasks are records ([Record]: value, timestamp, key group) and control
// elements ([Control]): watermarks, idleness, checkpoint barriers, the end. They travel in order, in
// batches ([Batch]). Event time comes only from records; a [Watermark] says how far it has come.
//
// # Who implements what
//
//   - You, lab by lab: [SplitReader] (01), [Groups], [Keys] and [Exchange] (02), [Backend] with its
//     cells and [OperatorStore] (03), window operators (04), [SplitWatermarks] and [Valve] (05),
//     [TimerService] (06), [Aligner] and the checkpoint store (07).
//   - You, as the author of a job: [KeyedFunction], [Function], [BroadcastFunction], [Source], [Sink],
//     and what they may do besides ([TimerFunction], [Snapshotter], [Finisher], [Closer]).
//   - This package: the five typed handles, [Counter], [Context], the codecs. They are thin, and
//     there is one of each, because Go cannot pass a generic function as a value.
//   - Package engine: everything that moves elements.
//
// # Duties
//
// Who runs a function keeps these promises. 1. One goroutine at a time, no locks needed. 2. Open
// before anything else, with no key current. 3. The key is set before ProcessElement and before
// OnTimer. 4. A watermark is passed on after the timers that it fires. 5. A record is stamped with
// the time of what caused it. 6. Close at the end, whatever happened.
//
// A function keeps these. 1. It never blocks, sleeps, starts a goroutine or asks for the time of day:
// what takes long is [Work], and time comes from the [Context]. 2. It keeps nothing in its fields but
// handles: what is not state does not survive. 3. It changes a value only together with Update, since
// on a serialised backend it holds a copy. 4. Its results do not hang on the order of a Go map.
//
// # Faults
//
// Wrong use of state (no key, no keyed stream, a null list element) is a panic with a [*StateError].
// The task that runs the function recovers it, and the job fails with the operator's uid, the subtask
// and the key. A function returns an error for everything else. Both end the job the same way; only a
// checkpoint brings it back.
package stream
