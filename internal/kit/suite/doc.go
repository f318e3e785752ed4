// Package suite is what the tests of a lab are written with.
//
// A lab's suite has one top-level test an exercise, and each of them hands its body to [Exercise]:
//
//	// Test3d: Backend: current key, value state (40 min)
//	func Test3d(t *testing.T) {
//		suite.Exercise(t, "3d", func(t *testing.T) {
//			suite.Sub(t, "a value is read under the key that wrote it", func(t *testing.T) { … })
//		})
//	}
//
// It promises one of four verdicts, in the words that students read and that `lab test` counts:
//
//   - TODO: a body is not written yet. One line, which names the file and line to edit.
//   - WRONG: the student's code did something else than it should, or panicked.
//   - HARNESS: the kit itself failed ([Harness]); never blamed on the student.
//   - PASS: none of these.
//
// A test that fails by other means (testify's require, t.Errorf) is WRONG.
//
// It leaves to others what cannot be recovered inside a process (a goroutine's panic, os.Exit, a
// stack overflow, an endless loop): package run gives each exercise a process of its own then.
// A verdict also goes to the file that the environment variable LAB_VERDICTS names, a JSON object a
// line, for package run to read; plain `go test` does not set it.
package suite
