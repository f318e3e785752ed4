// Package starter makes the students' files from the solutions.
//
// A solution's exercises stand between //lab:begin 3d and //lab:end. In the starter a function's
// body becomes panic(todo.Exercise("3d")), fields and declarations are gone, the markers stay, and
// imports follow. CONTRIBUTING.md says what a region may hold; [Generate] checks it and reports each
// fault with file and line.
//
// It promises that the same solution gives the same bytes, gofmt'ed, and that a starter differs from
// its solution between equal markers and in imports only. It also puts a starter, or one exercise of
// it, back ([ResetLab], [ResetExercise]), never without a backup.
//
// It works on text and syntax, never on a build, so it does its work beside a starter that does not
// compile. That the generated starter compiles is for the caller to check: CI does.
package starter
