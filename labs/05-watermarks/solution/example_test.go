package watermarks_test

import (
	"fmt"
	"time"

	"gatewaymeter/gateway"
	"gatewaymeter/internal/kit/aloud"
	watermarks "gatewaymeter/labs/05-watermarks/solution"
	"gatewaymeter/stream"
)

// Four partitions, each with a request a second, and partition 2 stops after half a minute. What can be
// billed after five minutes?
func ExampleSplits() {
	defer aloud.Print()()
	const cost = gateway.NanoUSD(1_250_000) // a request of 500 prompt tokens on model-a
	for _, idleness := range []time.Duration{0, 10 * time.Second} {
		s := watermarks.NewSplits(time.Second, watermarks.WithIdleness(idleness))
		for partition := range 4 {
			s.Add(partition)
		}
		mark, requests := stream.NoTime, 0
		for now := stream.Time(0); now < 300_000; now += 1000 {
			for partition := range 4 {
				if partition != 2 || now < 30_000 {
					s.Event(partition, now)
					requests++
				}
			}
			mark = max(mark, s.Emit(now).Watermark)
		}
		minutes := int(mark+1) / 60_000
		billed := 0 // requests of the minutes that the watermark has passed
		for now := stream.Time(0); now < stream.Time(minutes*60_000); now += 1000 {
			billed += 3
			if now < 30_000 {
				billed++
			}
		}
		fmt.Printf("idle after %v: watermark %v, %d minutes billed for %v, %v waits\n",
			idleness, mark, minutes, gateway.NanoUSD(billed)*cost, gateway.NanoUSD(requests-billed)*cost)
		if held, ok := watermarks.HoldsBack(s.Channels()); ok {
			fmt.Printf("  time waits for partition %d, whose last event was at %v\n", held.Channel, held.LastEvent)
		}
	}
	// Output:
	// idle after 0s: watermark t=27.999s, 0 minutes billed for $0.000000000, $1.162500000 waits
	//   time waits for partition 2, whose last event was at t=29s
	// idle after 10s: watermark t=4m57.999s, 4 minutes billed for $0.937500000, $0.225000000 waits
	//   time waits for partition 0, whose last event was at t=4m59s
}
