// Command cmd runs the hand-written loop alone, and prints one JSON line:
//
//	go run ./bench/limit/cmd -requests 1000000 -stage 03 -mode par2
//
// `lab bench --compare limit` runs it in turn with the engine.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"gatewaymeter/bench/limit"
	"gatewaymeter/bench/work"
)

func main() {
	requests := flag.Int64("requests", 1_000_000, "requests")
	seed := flag.Uint64("seed", work.DefaultSeed, "seed")
	stage := flag.Int("stage", int(work.Full), "03 (no timers, no windows) or 06")
	mode := flag.String("mode", "loop", "loop (one goroutine) or par2 (a source and two partitions)")
	flag.Parse()

	run := limit.Loop
	if *mode == "par2" {
		run = limit.Par2
	}
	if *requests < 0 || *mode != "loop" && *mode != "par2" || *stage != int(work.Stateful) && *stage != int(work.Full) {
		flag.Usage()
		os.Exit(2)
	}
	outcome, took := run(work.Stage(*stage), *requests, *seed)
	if err := outcome.Verify(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(line(outcome, took))
}

// line is what is printed.
func line(o work.Outcome, took time.Duration) map[string]any {
	return map[string]any{
		"n": o.Requests, "events": o.Events, "seconds": took.Seconds(),
		"events_per_s": int64(float64(o.Events) / took.Seconds()),
		"outA":         o.Sums.OutA, "outB": o.Sums.OutB, "sum_nano": o.Sums.SumA,
		"check": o.Sums.Check(), "open": o.Open, "seq_a": o.Sums.SeqA,
	}
}
