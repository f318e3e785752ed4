// Package crashtable answers the question with which each lab ends, in figures: when a worker dies right
// now, what survives, what is recomputed, what is emitted twice, and what is lost?
//
// The answer is measured. [Tables.Of] crashes a stage's job under a few seeds in the simulated driver,
// looks into its state when the worker dies and when its successor begins, follows the successor's steps
// to the end of the log, and adds up. [Tables.Compare] sets the bills of all stages side by side.
// [Tables.Sync] puts tables into the chapters, behind a comment:
//
//	<!-- crash table: 03 from earliest -->
//	<!-- crash table: comparison -->
//
// A test holds the chapters' tables against new runs: those of `go tool lab crash 03 --from earliest
// --seeds 8`, and from stage 06 on with --cards.
//
// What "recomputed" and "lost" mean depends on what is counted:
//
//   - An entry of a state (an open request) survives if it is there when the successor begins, is
//     recomputed if a later step sets it again, and is lost if none does.
//   - Of a sum (the requests in a minute), what the successor does not begin with is lost as far as the
//     end result falls short of the oracle's, and recomputed for the rest.
//   - A line in a topic is outside of the job: it survives. It is emitted twice if the successor writes
//     one of the same identity; a line is lost if it is owed and does not stand there in full at the end.
//
// It leaves the crash to package pipeline and the truth to package oracle.
package crashtable
