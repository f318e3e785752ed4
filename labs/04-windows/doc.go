// Package lab04 is the suite of lab 04: windows.
//
// You learn how an endless stream becomes bills: which minute a record belongs to (4a, 4b), what a
// minute remembers of its records (4c), when it is billed (4d), when it may be forgotten (4e), what
// happens to a record that comes too late (4f), and windows that have no fixed bounds (4g).
//
// The trap of this lab: a late record is billed twice, or never.
//
// The chapter is docs/04-windows.md; you write in starter/.
package lab04
