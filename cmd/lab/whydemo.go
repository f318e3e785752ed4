package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/spf13/cobra"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	watermarks "gatewaymeter/labs/05-watermarks/solution"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// demonstrationFlags are those of the job that `lab why` runs itself, when there is none to ask.
type demonstrationFlags struct {
	stop, partitions, parallelism, requests int
	seed                                    uint64
	idle                                    time.Duration
}

// errAsked ends the job once it has been asked.
var errAsked = errors.New("asked")

// demonstrate runs a job of which a partition stops half way, and asks it when nothing moves any more.
func (f *demonstrationFlags) demonstrate(cmd *cobra.Command) ([]pipeline.Waiting, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	job, messages, err := f.job()
	if err != nil {
		return nil, err
	}
	e, err := job.Start(cmd.Context(), engine.Options{})
	if err != nil {
		return nil, err
	}
	answer, err := f.settled(cmd.Context(), e, messages)
	e.Cancel(errAsked)
	if _, failed := e.Wait(); err == nil && !errors.Is(failed, errAsked) {
		err = failed
	}
	return answer, err
}

func (f *demonstrationFlags) check() error {
	switch {
	case f.requests < 1:
		return fmt.Errorf("--requests %d: ask for at least 1", f.requests)
	case f.partitions < 1 || f.partitions > 1000:
		return fmt.Errorf("--partitions %d: ask for 1 to 1000", f.partitions)
	case checkParallelism(f.parallelism) != nil:
		return checkParallelism(f.parallelism)
	case f.stop < -1 || f.stop >= f.partitions:
		return fmt.Errorf("--stop %d: name a partition below %d, or -1 for none", f.stop, f.partitions)
	case f.idle < 0:
		return fmt.Errorf("--idle %v: ask for 0s (never) or more", f.idle)
	}
	return nil
}

// job is the job on a topic that does not end, and the number of its messages.
func (f *demonstrationFlags) job() (*engine.Job, int64, error) {
	var stopped []int
	if f.stop >= 0 {
		stopped = []int{f.stop}
	}
	topic := pipeline.NewRecorded(gateway.TopicEvents, f.partitions)
	var messages int64
	for m := range pipeline.Stopped(generator.Default(f.requests, f.seed), f.partitions, stopped) {
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
	pipeline.WithWatermarks(&parts, watermarks.WithIdleness(f.idle), watermarks.WithMaxGap(2*engine.DefaultInterval))
	job, err := pipeline.Build(pipeline.Config{
		Stage: pipeline.LastStage, Parallelism: f.parallelism, Parts: parts, Functions: functions,
		Events: pipeline.Input{Splits: splits, Log: topic.Log}, Sinks: (&pipeline.Output{}).Sinks(),
	})
	return job, messages, err
}

// settled waits until everything is read and the answer stays the same for a second, or longer than it
// takes a partition to go idle.
func (f *demonstrationFlags) settled(ctx context.Context, e *engine.Execution, messages int64) ([]pipeline.Waiting, error) {
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
