package watermarks

import (
	"slices"
	"time"

	"gatewaymeter/stream"
)

// HoldsBack answers investigation 5.1: which channel is the one that time waits for, and whether
// there is one. Idle, ended and unaligned channels are not waited for. Of channels equally far back,
// it is the one with the lowest number.
//
// `lab why` prints its answer for every operator.
func HoldsBack(channels []stream.ChannelTime) (stream.ChannelTime, bool) {
	//lab:begin 5.1
	var held stream.ChannelTime
	found := false
	for _, c := range channels {
		if c.Idle || c.Ended || c.Unaligned {
			continue
		}
		if !found || c.Watermark < held.Watermark || c.Watermark == held.Watermark && c.Channel < held.Channel {
			held, found = c, true
		}
	}
	return held, found
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
	if len(lags) == 0 {
		return 0
	}
	sorted := slices.Clone(lags)
	slices.Sort(sorted)
	may := 0 // counted, since 0.29*100 is 28.999… as a float
	for may < len(sorted) && float64(may+1)/float64(len(sorted)) <= late {
		may++
	}
	if may >= len(sorted) {
		return 0
	}
	bound := max(sorted[len(sorted)-1-may], 0)
	if rest := bound % time.Millisecond; rest != 0 {
		bound += time.Millisecond - rest
	}
	return bound
	//lab:end
}
