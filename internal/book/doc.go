// Package book is the course as a book: the Markdown pages of docs/, with code that is taken from
// compiled files, rendered for a browser.
//
// A page includes code with a comment, behind which the code itself stands, so that the page reads
// well without this package too:
//
//	<!-- code: labs/03-stateful-operators/solution/assembler.go#assembler.ProcessElement -->
//
// What stands behind the # is a declaration (a function, a type, Type.Method, a variable or constant)
// or an exercise's regions (lab:3a). [Sync] puts the code where it belongs; a test of the repository
// fails when a page has fallen behind.
//
// It promises that pages are served on loopback unless told otherwise, and that a page with a dead
// include is an error that names it. It leaves the words to docs/ and the highlighting to chroma.
package book
