package examples

import (
	"fmt"

	"gatewaymeter/gateway"
	"gatewaymeter/internal/kit/aloud"
)

// The same three costs, added as floats in the order of the log and backwards. (3b)
func Example_driftingFloats() {
	defer aloud.Print()()
	costs := []gateway.NanoUSD{100_000_000, 200_000_000, 300_000_000}
	var forwards, backwards float64
	var exact, again gateway.NanoUSD
	for i := range costs {
		forwards += float64(costs[i]) / gateway.NanoPerUSD
		exact += costs[i]
		last := costs[len(costs)-1-i]
		backwards += float64(last) / gateway.NanoPerUSD
		again += last
	}
	fmt.Printf("floats:   %.18f and %.18f, equal: %v\n", forwards, backwards, forwards == backwards)
	fmt.Printf("nano-USD: %v and %v, equal: %v\n", exact, again, exact == again)
	// Output:
	// floats:   0.600000000000000089 and 0.599999999999999978, equal: false
	// nano-USD: $0.600000000 and $0.600000000, equal: true
}
