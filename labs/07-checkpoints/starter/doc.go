// Package checkpoints is lab 07: how a job survives.
//
//   - align.go: barriers from many inputs become one consistent cut (7a).
//   - keyedfile.go: keyed state in a file, by key group, readable at any parallelism (7b).
//   - partfile.go: the rest of a subtask's part: operator state, broadcast state, offsets (7c).
//   - store.go: files, checksums, and a manifest that is renamed into place (7d); disk.go is what it
//     needs of a file system.
//   - coordinator.go: when a checkpoint starts, is complete, or is given up (7e).
//   - match.go: which state goes to which operator after a restart (7f).
//   - upsert.go: a sink that may be told twice (7g).
//   - investigate.go, atleastonce.go, incremental.go, keepwatermark.go: the questions of the chapter, as
//     functions (7.1 to 7.6).
//
// It promises that a checkpoint that Latest returns is whole, whatever was interrupted at whatever
// file operation. It leaves moving barriers and running work to package engine, and one group's bytes
// to the backend (lab 03) and the timer service (lab 06).
package checkpoints
