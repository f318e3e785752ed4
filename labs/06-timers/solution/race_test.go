//go:build race

package timers

// million is a tenth of one under the race detector, which takes ten times as long and looks for something
// else.
const million = 100_000
