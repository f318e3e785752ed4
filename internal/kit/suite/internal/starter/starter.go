// Package starter stands in for a lab's starter in the tests of package suite.
package starter

import "gatewaymeter/todo"

// Unwritten is an exercise that nobody wrote.
func Unwritten() int {
	panic(todo.Exercise("9a"))
}

// Other is an exercise that 9a needs.
func Other() int {
	panic(todo.Exercise("9b"))
}

// Nil dereferences nil, as a student might.
func Nil(p *int) int {
	return *p
}

// Deep recurses without an end: the overflow is the point.
func Deep(n int) int { //lint:ignore SA5007 see above
	return Deep(n+1) + 1
}
