// Package run builds and runs the suites of labs and gives each exercise its outcome.
//
// It promises that one exercise costs no other: what package suite cannot recover (a goroutine's
// panic, os.Exit, a stack overflow, an endless loop) ends the process, and then every exercise that
// has no outcome yet runs in a process of its own, with a deadline. It believes a test passed only if
// the process says so (--- PASS): os.Exit(0) and a suite without tests are no passes. A starter that
// does not compile makes all of its lab's exercises WRONG: those in whose regions the compiler's errors
// stand, and the others, which say that they could not be run because of them. That the suite itself does
// not compile is HARNESS.
//
// Whose code runs is package overlay's; how outcomes look is cmd/lab's.
package run
