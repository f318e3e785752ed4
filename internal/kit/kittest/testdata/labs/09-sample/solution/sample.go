// Package sample is what the tests of the kit run.
package sample

import (
	"strings"

	base "gatewaymeter/labs/08-base/solution"
)

// Double is twice n.
func Double(n int) int {
	//lab:begin 9a
	return two() * n
	//lab:end
}

//lab:begin 9a

// two is two.
func two() int { return base.One() + base.One() }

//lab:end

// Join puts the words together, with a comma between two.
func Join(words ...string) string {
	//lab:begin 9b
	return strings.Join(words, ",")
	//lab:end
}

// Twice is Join of a word and itself.
func Twice(word string) string {
	//lab:begin 9c
	return Join(word, word)
	//lab:end
}
