package watermarks

import (
	"time"

	"gatewaymeter/stream"
	"gatewaymeter/todo" // made from ../solution by "go tool lab starters"; this file is yours to edit
)

// HoldsBack answers investigation 5.1: which channel is the one that time waits for, and whether
// there is one. Idle, ended and unaligned channels are not waited for. Of channels equally far back,
// it is the one with the lowest number.
//
// `lab why` prints its answer for every operator.
func HoldsBack(channels []stream.ChannelTime) (stream.ChannelTime, bool) {
	//lab:begin 5.1
	panic(todo.Exercise("5.1"))
	//lab:end
}

// ChooseBound answers investigation 5.2: the least bound, in whole milliseconds, at which at most the
// share late (0 to 1) of the elements is late. lags says of each element how far its timestamp was
// behind the highest one before it on its split (what exercise 1e measures); 0 or less: not behind.
// Without elements it is 0.
//
// An element is late if its lag is more than the bound. The bound is also what every result waits,
// so the least one is wanted.
func ChooseBound(lags []time.Duration, late float64) time.Duration {
	//lab:begin 5.2
	panic(todo.Exercise("5.2"))
	//lab:end
}
