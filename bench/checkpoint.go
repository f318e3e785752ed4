package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"gatewaymeter/engine"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// Checkpoints is what a run's checkpoints came to.
type Checkpoints struct {
	Complete int     `json:"complete"`
	Failed   int     `json:"failed"`
	Longest  float64 `json:"longest_s"`   // from the trigger to the manifest
	Aligning float64 `json:"alignment_s"` // the longest that a task waited for its last barrier

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
}

// options makes the job take checkpoints, if that is asked for, into a folder of lab 07's store.
func (c Config) options() (engine.Options, *Checkpoints, error) {
	if c.Checkpoint == 0 {
		return engine.Options{}, nil, nil
	}
	dir := filepath.Join(c.Dir, "checkpoints")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return engine.Options{}, nil, fmt.Errorf("the folder for checkpoints: %w", err)
	}
	store, err := pipeline.OpenCheckpoints(dir)
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
