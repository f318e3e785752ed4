//go:build !race

package timers

// million is how many timers the tests of many timers have.
const million = 1_000_000
