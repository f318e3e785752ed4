package engine

import (
	"errors"
	"fmt"

	"gatewaymeter/stream"
)

// Checkpoints say where a job's checkpoints go, and how often they are taken.
type Checkpoints struct {
	Store  stream.CheckpointStore
	Config stream.Checkpointing
}

// coordination is what both drivers need to take checkpoints: the coordinator, and the store.
type coordination struct {
	coordinator stream.Coordinator
	store       stream.CheckpointStore
	job         string
}

func newCoordination(j *Job, c *Checkpoints, tasks int) (*coordination, error) {
	if j.Parts.Coordinator == nil || j.Parts.Aligner == nil {
		return nil, errors.New("checkpoints were asked for, but the engine cannot take any (lab 07)")
	}
	if c.Config.First == 0 {
		c.Config.First = 1
	}
	return &coordination{coordinator: j.Parts.Coordinator(c.Config, tasks), store: c.Store, job: j.Name}, nil
}

// part stores a subtask's part of a checkpoint, and gives its files back.
func (c *coordination) part(checkpoint int64, operators []OperatorSnapshot) error {
	defer release(operators)
	for _, s := range operators {
		if err := c.store.Part(checkpoint, s); err != nil {
			return fmt.Errorf("storing operator %q, subtask %d, of checkpoint %d: %w", s.UID, s.Subtask, checkpoint, err)
		}
	}
	return nil
}

func release(operators []OperatorSnapshot) {
	for _, s := range operators {
		if s.Release != nil {
			s.Release()
		}
	}
}

// complete writes a checkpoint's manifest.
func (c *coordination) complete(checkpoint int64, now stream.Time) error {
	return c.store.Complete(stream.Checkpoint{ID: checkpoint, Job: c.job, Created: now})
}

// Targets are the operators of a job, as a checkpoint is matched against them.
func (j *Job) Targets() (targets []stream.Target) {
	for _, n := range j.nodes {
		t := stream.Target{UID: n.uid}
		if n.keyed && j.Parts.Groups != nil {
			t.MaxGroups = j.Parts.Groups.Max()
		}
		targets = append(targets, t)
	}
	return targets
}

// Match finds the state of each of the job's operators in a checkpoint (lab 07, exercise 7f).
func (j *Job) Match(c *stream.Checkpoint, allowNonRestored bool) (map[string][]OperatorSnapshot, error) {
	if c == nil {
		return nil, nil
	}
	if j.Parts.Match == nil {
		return nil, errors.New("the job is to start from a checkpoint, but the engine cannot restore one (lab 07)")
	}
	return j.Parts.Match(c, j.Targets(), allowNonRestored)
}
