package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/spf13/cobra"

	"gatewaymeter/engine"
	"gatewaymeter/generator"
	watermarks "gatewaymeter/labs/05-watermarks/solution"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

func init() { register(newWhyCommand) }

// whyFlags are what `lab why` is called with.
type whyFlags struct {
	stop, partitions, parallelism, requests int
	seed                                    uint64
	idle                                    time.Duration
	json                                    bool
}

func newWhyCommand() *cobra.Command {
	f := whyFlags{}
	cmd := &cobra.Command{
		Use:     "why",
		GroupID: groupRun,
		Short:   "Stop a partition and ask every operator what it waits for",
		Long: "Runs the job of stage 06 in memory on traffic of which one partition stops half way, and says for\n" +
			"each operator what holds its event time back: which partition or input, its last event, and whether\n" +
			"the next timer is due, held back, or waits for nobody at all. --idle mends it.",
		Example: "  go tool lab why\n  go tool lab why --stop 1 --idle 500ms",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.IntVar(&f.stop, "stop", 2, "the partition that stops half way; -1: none")
	flags.DurationVar(&f.idle, "idle", 0, "call a partition idle after this long (0s: never)")
	flags.IntVar(&f.requests, "requests", 2000, "requests to generate")
	flags.IntVar(&f.partitions, "partitions", 4, "partitions of the topic")
	flags.IntVar(&f.parallelism, "parallelism", 2, "subtasks of each operator")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the traffic")
	flags.BoolVar(&f.json, "json", false, "one JSON object an operator's subtask")
	return cmd
}

// errAsked ends the job once it has been asked.
var errAsked = errors.New("asked")

func (f *whyFlags) run(cmd *cobra.Command) error {
	if f.requests < 1 || f.partitions < 1 || f.parallelism < 1 || f.stop >= f.partitions {
		return fmt.Errorf("--requests, --partitions and --parallelism must be at least 1, and --stop a partition below %d", f.partitions)
	}
	job, messages, err := f.job()
	if err != nil {
		return err
	}
	e, err := job.Start(cmd.Context(), engine.Options{})
	if err != nil {
		return err
	}
	answer, err := f.settled(cmd.Context(), e, messages)
	e.Cancel(errAsked)
	if _, failed := e.Wait(); err == nil && !errors.Is(failed, errAsked) {
		err = failed
	}
	if err != nil {
		return err
	}
	for _, w := range answer {
		if f.json {
			err = printJSON(cmd.OutOrStdout(), w)
		} else {
			_, err = fmt.Fprintln(cmd.OutOrStdout(), w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// job is the job on a topic that does not end, and the number of its messages.
func (f *whyFlags) job() (*engine.Job, int64, error) {
	full, _ := pipeline.Record(generator.Default(f.requests, f.seed), "gateway-events", f.partitions)
	topic := pipeline.NewRecorded("gateway-events", f.partitions)
	ends := full.Splits()
	var messages int64
	for _, m := range full.Messages() {
		if int(m.Partition) == f.stop && m.Offset >= ends[m.Partition].Stop/2 {
			continue
		}
		topic.Append(m.Key, m.Value)
		messages++
	}
	splits := topic.Splits()
	for i := range splits {
		splits[i].Stop = stream.Unbounded
	}
	parts, functions, err := pipeline.Ours(pipeline.LastStage)
	if err != nil {
		return nil, 0, err
	}
	parts.Watermarks = func() stream.SplitWatermarks {
		return watermarks.NewSplits(pipeline.Bound, watermarks.WithIdleness(f.idle), watermarks.WithMaxGap(2*engine.DefaultInterval))
	}
	job, err := pipeline.Build(pipeline.Config{
		Stage: pipeline.LastStage, Parallelism: f.parallelism, Parts: parts, Functions: functions,
		Events: pipeline.Input{Splits: splits, Log: topic.Log}, Sinks: (&pipeline.Output{}).Sinks(),
	})
	return job, messages, err
}

// settled waits until everything is read and the answer stays the same for a second, or longer than it
// takes a partition to go idle.
func (f *whyFlags) settled(ctx context.Context, e *engine.Execution, messages int64) ([]pipeline.Waiting, error) {
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	enough := 10 + int(2*f.idle/(100*time.Millisecond))
	var last []pipeline.Waiting
	for same := 0; ; {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-e.Done():
			_, err := e.Wait()
			return nil, err
		case <-look.C:
		}
		var read int64
		metrics := e.Metrics()
		for _, m := range metrics {
			read += m.Counters["gateway-source/events"]
		}
		now := pipeline.Why(metrics)
		if same++; read < messages || !reflect.DeepEqual(last, now) {
			same = 0
		}
		if last = now; same >= enough {
			return now, nil
		}
	}
}
