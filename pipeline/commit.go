package pipeline

import (
	"cmp"
	"slices"
	"sync"

	"gatewaymeter/engine"
	"gatewaymeter/stream"
)

// committing is a checkpoint store that tells Kafka, when a checkpoint is complete, where its sources
// read on (Flink: commit.offsets.on.checkpoint). Whoever watches the job's lag can see it there; no start
// ever reads it, and that it cannot be told is a warning. Only the latest checkpoint matters: one that is
// complete while another is being told replaces those that wait.
type committing struct {
	stream.CheckpointStore
	commit func([]stream.Split) error
	warn   func(error)

	mu    sync.Mutex
	parts map[int64][]stream.Split // of checkpoints that are being taken
	final []stream.Split           // of source subtasks that have ended

	latest chan []stream.Split // capacity 1
	done   chan struct{}
}

// commitOffsets puts itself before a store. stop it when the job has ended.
func commitOffsets(store stream.CheckpointStore, commit func([]stream.Split) error, warn func(error)) *committing {
	c := &committing{
		CheckpointStore: store, commit: commit, warn: warn,
		parts: map[int64][]stream.Split{}, latest: make(chan []stream.Split, 1), done: make(chan struct{}),
	}
	go c.run()
	return c
}

// run tells Kafka. A row of failures is one warning.
func (c *committing) run() {
	defer close(c.done)
	failed := false
	for splits := range c.latest {
		err := c.commit(splits)
		if err != nil && !failed {
			c.warn(err)
		}
		failed = err != nil
	}
}

// stop returns when the latest complete checkpoint has been told of.
func (c *committing) stop() {
	close(c.latest)
	<-c.done
}

// Part implements stream.CheckpointStore.
func (c *committing) Part(checkpoint int64, s stream.OperatorSnapshot) error {
	splits, err := engine.Offsets([]stream.OperatorSnapshot{s})
	if err != nil {
		return err
	}
	c.mu.Lock()
	if checkpoint == stream.FinalPart {
		c.final = append(c.final, splits...)
	} else {
		c.parts[checkpoint] = append(c.parts[checkpoint], splits...)
	}
	c.mu.Unlock()
	return c.CheckpointStore.Part(checkpoint, s)
}

// Complete implements stream.CheckpointStore.
func (c *committing) Complete(checkpoint stream.Checkpoint) error {
	splits := c.take(checkpoint.ID)
	if err := c.CheckpointStore.Complete(checkpoint); err != nil {
		return err
	}
	select {
	case <-c.latest: // nobody needs to know of an older one any more
	default:
	}
	c.latest <- splits
	return nil
}

// take is where every partition is to be read on from a checkpoint.
func (c *committing) take(checkpoint int64) []stream.Split {
	c.mu.Lock()
	defer c.mu.Unlock()
	splits := c.parts[checkpoint]
	delete(c.parts, checkpoint)
	for _, f := range c.final {
		if !slices.ContainsFunc(splits, func(s stream.Split) bool { return s.Topic == f.Topic && s.Partition == f.Partition }) {
			splits = append(splits, f)
		}
	}
	slices.SortFunc(splits, func(a, b stream.Split) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
	return splits
}

// Discard implements stream.CheckpointStore.
func (c *committing) Discard(checkpoint int64) error {
	c.mu.Lock()
	delete(c.parts, checkpoint)
	c.mu.Unlock()
	return c.CheckpointStore.Discard(checkpoint)
}
