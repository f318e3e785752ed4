package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatewaymeter/stream"
)

// Backoff says how long to wait before a failed job is started again, and whether it is at all
// (Flink: restart strategies). failures counts those since the job last made progress, from 1.
type Backoff func(failures int) (wait time.Duration, again bool)

// NoRestart lets a failed job fail.
func NoRestart(int) (time.Duration, bool) { return 0, false }

// FixedDelay starts a job again at most attempts times, always after the same delay.
func FixedDelay(attempts int, delay time.Duration) Backoff {
	return func(failures int) (time.Duration, bool) { return delay, failures <= attempts }
}

// ExponentialDelay waits for initial, then twice as long each time, up to most, and never gives up.
func ExponentialDelay(initial, most time.Duration) Backoff {
	return func(failures int) (time.Duration, bool) {
		wait := initial
		for range failures - 1 {
			if wait *= 2; wait >= most {
				return most, true
			}
		}
		return wait, true
	}
}

// Recovery is how a job comes back after a failure.
type Recovery struct {
	Backoff Backoff
	// Open opens the checkpoint store anew for each attempt; nil: the job has no checkpoints and
	// starts from nothing.
	Open             func() (stream.CheckpointStore, error)
	Checkpointing    stream.Checkpointing
	AllowNonRestored bool
	// OnStart is told of every attempt: from which checkpoint (nil: from nothing), which damaged ones
	// were skipped, and which failure came before (nil at first).
	OnStart func(from *stream.Checkpoint, refused []error, after error)
}

// RunWithRecovery runs the job to its end, from the latest complete checkpoint, and starts it again
// after a failure as the backoff says. Cancelling ctx ends it for good.
func (j *Job) RunWithRecovery(ctx context.Context, o Options, r Recovery) (*Result, error) {
	var failure error
	for failures := 1; ; failures++ {
		e, err := j.startFromLatest(ctx, o, r, failure)
		if err != nil {
			return nil, errors.Join(err, failure)
		}
		result, err := e.Wait()
		if err == nil || ctx.Err() != nil {
			return result, err
		}
		if e.co != nil && e.co.completedAny.Load() {
			failures = 1 // it has made progress
		}
		wait, again := r.Backoff(failures)
		if !again {
			return result, err
		}
		failure = err
		select {
		case <-ctx.Done():
			return result, context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// startFromLatest is one attempt.
func (j *Job) startFromLatest(ctx context.Context, o Options, r Recovery, after error) (*Execution, error) {
	var from *stream.Checkpoint
	var refused []error
	if r.Open != nil {
		store, err := r.Open()
		if err != nil {
			return nil, fmt.Errorf("opening the checkpoint store: %w", err)
		}
		if from, refused, err = store.Latest(); err != nil {
			return nil, err
		}
		if o.Restore, err = j.Match(from, r.AllowNonRestored); err != nil {
			return nil, err
		}
		cfg := r.Checkpointing
		if cfg.First, err = store.Next(); err != nil {
			return nil, err
		}
		o.Checkpoints = &Checkpoints{Store: store, Config: cfg}
	}
	if r.OnStart != nil {
		r.OnStart(from, refused, after)
	}
	return j.Start(ctx, o)
}
