// Package lab03 is lab 03: operators that remember, and what remembering costs.
//
// In the first sitting you use state: pair a request's two events (3a), add up what tenants owe (3b),
// drop what came twice (3c). In the second you build what you used: the heap backend and its value
// state (3d), lists and maps (3e), folds (3f). In the third you bound and share it: entries that expire
// (3g, 3h), state that belongs to no key (3i), a price table that every subtask has (3j). Between them
// you write the test that shows the leak (3.2), find an operator that is right on one backend only
// (3.3), and work out how long an entry must be kept (3.4).
//
// Your code goes into starter/, package operators. The chapter is docs/03-stateful-operators.md.
//
//	go tool lab test 03
package lab03
