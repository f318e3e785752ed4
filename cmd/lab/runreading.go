package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"gatewaymeter/engine"
	watermarks "gatewaymeter/labs/05-watermarks/solution"
	"gatewaymeter/pipeline"
)

// readingFlags are the flags of `lab run` about how the job reads its input.
type readingFlags struct {
	cards  string
	align  time.Duration
	idle   time.Duration
	follow bool
	stop   []int
}

func (f *readingFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.cards, "cards", "", "card transactions for the velocity check: generate, off, or a topic (default: as --input, off beside a topic; from stage 06)")
	flags.DurationVar(&f.align, "align", 0, "a partition that is more than this ahead of the slowest of its source waits, such as 30s (from stage 04; 0s: never)")
	flags.BoolVar(&f.follow, "follow", false, "wait for more messages at the end of the input, until Ctrl-C: there is no verdict then")
	flags.DurationVar(&f.idle, "idle", 0, "with --follow: call a partition idle after this long, such as 5s (0s: never, as elsewhere, since a bill could then miss what comes late)")
	flags.IntSliceVar(&f.stop, "stop", nil, "with --follow: partitions of the generated traffic that stop half way")
}

// firstWithWatermarks is the stage whose job has event time.
const firstWithWatermarks = 4

// apply checks the flags and puts them into the configuration of a run, whose other fields are set.
func (f *readingFlags) apply(cfg *pipeline.RunConfig, requests int) error {
	cfg.Follow, cfg.Stopped = f.follow, f.stop
	switch {
	case f.align < 0 || f.align > 0 && f.align < time.Millisecond:
		return fmt.Errorf("--align %v: it is how far a partition may be ahead, at least 1ms, such as 30s", f.align)
	case (f.align > 0 || f.idle > 0) && cfg.Stage < firstWithWatermarks:
		return fmt.Errorf("--align and --idle: stage %02d has no event time: that comes with --stage %02d", cfg.Stage, firstWithWatermarks)
	case f.idle < 0 || f.idle > 0 && (f.idle < time.Millisecond || !f.follow):
		return fmt.Errorf("--idle %v: it is a pause of at least 1ms and goes with --follow: where the oracle judges, time waits for every partition", f.idle)
	case len(f.stop) > 0 && (!f.follow || cfg.Input != ""):
		return errors.New("--stop goes with --follow and generated traffic: a job that does not wait for more ends where the partition stops")
	}
	for _, p := range f.stop {
		if p < 0 || p >= cfg.Partitions {
			return fmt.Errorf("--stop %d: the partitions are 0 to %d", p, cfg.Partitions-1)
		}
	}
	if f.align > 0 || f.idle > 0 {
		pipeline.WithWatermarks(&cfg.Parts, watermarks.WithAlignment(f.align), watermarks.WithIdleness(f.idle), watermarks.WithMaxGap(2*engine.DefaultInterval))
	}
	return f.watchCards(cfg, requests)
}

// watchCards decides where the velocity check has its transactions from.
func (f *readingFlags) watchCards(cfg *pipeline.RunConfig, requests int) error {
	if cfg.Stage < pipeline.FirstWithCards {
		if f.cards != "" && f.cards != "off" {
			return fmt.Errorf("--cards %s: stage %02d does not watch cards: that begins with --stage %02d", f.cards, cfg.Stage, pipeline.FirstWithCards)
		}
		return nil
	}
	switch f.cards {
	case "off":
	case "generate":
		cfg.Cards = requests
	case "":
		if cfg.Input == "" {
			cfg.Cards = requests
		}
	default:
		cfg.CardsInput = f.cards
	}
	return nil
}
