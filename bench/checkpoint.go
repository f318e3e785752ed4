package bench

import (
	"sync"
	"time"

	"gatewaymeter/engine"
	"gatewaymeter/stream"
)

// Checkpoints is what a run's checkpoints came to.
type Checkpoints struct {
	Complete int     `json:"complete"`
	Failed   int     `json:"failed"`
	Longest  float64 `json:"longest_s"`   // from the trigger to the manifest
	Aligning float64 `json:"alignment_s"` // the longest that a task waited for its last barrier
	Stopped  float64 `json:"stopped_s"`   // the longest that a task stood still to copy its state
	Bytes    int64   `json:"bytes"`       // the largest checkpoint, in full
	Written  int64   `json:"written"`     // what all of them have written together

	mu sync.Mutex
}

// took is told of each checkpoint that has ended.
func (c *Checkpoints) took(r engine.CheckpointReport) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Err != nil {
		c.Failed++
		return
	}
	c.Complete++
	c.Longest = max(c.Longest, r.Duration.Seconds())
	c.Aligning = max(c.Aligning, r.Alignment.Seconds())
	c.Stopped = max(c.Stopped, r.Stopped.Seconds())
	c.Bytes = max(c.Bytes, r.Bytes)
	c.Written += r.Written
}

// options makes the job take checkpoints, if that is asked for, into a folder of lab 07's store.
func (c Config) options() (engine.Options, *Checkpoints, error) {
	if c.Checkpoint == 0 {
		return engine.Options{}, nil, nil
	}
	store, err := c.store()
	if err != nil {
		return engine.Options{}, nil, err
	}
	first, err := store.Next()
	if err != nil {
		return engine.Options{}, nil, err
	}
	taken := &Checkpoints{}
	return engine.Options{
		OnCheckpoint: taken.took,
		Checkpoints: &engine.Checkpoints{Store: store, Config: stream.Checkpointing{
			Interval: stream.Time(max(c.Checkpoint, time.Millisecond).Milliseconds()), First: first,
		}},
	}, taken, nil
}
