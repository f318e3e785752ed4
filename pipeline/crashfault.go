package pipeline

import (
	"errors"
	"fmt"

	"gatewaymeter/engine"
	"gatewaymeter/stream"
)

// Fault is what goes wrong in a crash run besides the crash.
type Fault string

// The faults. Each but a slow subtask is one of checkpoints, so it needs stage 07.
const (
	// SlowSubtask: one subtask hardly gets a turn, so that barriers wait for it.
	SlowSubtask Fault = "slow subtask"
	// LostAck: an acknowledgement never arrives; the checkpoint times out. Then the worker dies.
	LostAck Fault = "lost acknowledgement"
	// FailedWrite: a file operation of the store fails once, a write after half of its bytes. Then the
	// worker dies, or, if the final state of a subtask could not be stored, the job fails by itself.
	FailedWrite Fault = "failed write"
	// TornWrite: the power fails between two file operations of the store. That is the crash. What was
	// not synced is there, or not, or torn.
	TornWrite Fault = "torn write"
)

func (f Fault) check(cfg CrashConfig) error {
	switch f {
	case "", SlowSubtask:
		return nil
	case LostAck, FailedWrite, TornWrite:
		if cfg.Stage < 7 {
			return fmt.Errorf("a %s is a fault of a checkpoint, and stage %02d has none", f, cfg.Stage)
		}
		if cfg.Store != nil && f != LostAck {
			return fmt.Errorf("a %s needs the run's own disk, but there is another store", f)
		}
		return nil
	}
	return fmt.Errorf("there is no fault %q", f)
}

// threaten sets up what is to go wrong in the first life.
func (c *crash) threaten(s *engine.Simulation) {
	switch c.Fault {
	case SlowSubtask:
		s.SlowDown(c.rng.IntN(1 << 16))
	case LostAck:
		s.LoseAckWhen(func() bool { return c.due(s) })
	case FailedWrite, TornWrite:
		c.strikeAt = storeCall(c.rng.IntN(int(storeCalls)))
	}
}

// struck reports whether the fault has happened.
func (c *crash) struck(s *engine.Simulation) bool {
	switch c.Fault {
	case SlowSubtask:
		return s.Withheld() > 0
	case LostAck:
		return s.AcksLost() > 0
	case FailedWrite:
		return c.disk.failed
	case TornWrite:
		return c.platter.PowerFailed()
	}
	return true
}

// storeCall is a call of the store, in the middle of which something may go wrong.
type storeCall int

const (
	storingPart storeCall = iota
	completing
	storeCalls
)

func (s storeCall) String() string {
	return [...]string{"while a part was stored", "while a manifest was written"}[s]
}

// operations is about how many file operations a call takes.
var operations = [storeCalls]int{storingPart: 8, completing: 16}

// strike lets the disk fail from some operation of this call on, if it is time for that.
func (c *crash) strike(call storeCall) {
	if c.Fault != FailedWrite && c.Fault != TornWrite || c.set || call != c.strikeAt || c.running == nil || !c.due(c.running) {
		return
	}
	c.set = true
	n := 1 + c.rng.IntN(operations[call])
	if c.Fault == TornWrite {
		c.platter.CutPowerAt(n)
	} else {
		c.disk.failIn = n
	}
}

// watchedStore is the store as the job sees it.
type watchedStore struct {
	stream.CheckpointStore
	c *crash
}

// Part implements stream.CheckpointStore.
func (w watchedStore) Part(checkpoint int64, s stream.OperatorSnapshot) error {
	w.c.strike(storingPart)
	return w.CheckpointStore.Part(checkpoint, s)
}

// Complete implements stream.CheckpointStore.
func (w watchedStore) Complete(c stream.Checkpoint) error {
	w.c.strike(completing)
	err := w.CheckpointStore.Complete(c)
	if err == nil {
		w.c.complete = c.ID
	}
	return err
}

// Discard implements stream.CheckpointStore.
func (w watchedStore) Discard(checkpoint int64) error {
	w.c.aborted++
	return w.CheckpointStore.Discard(checkpoint)
}

// newest is the checkpoint to go back to: none, or one that is no older than the last one of which the
// store had said that it is complete.
func (c *crash) newest(store stream.CheckpointStore) (*stream.Checkpoint, error) {
	found, refused, err := store.Latest()
	if err != nil {
		return nil, err
	}
	if c.complete == 0 || found != nil && found.ID >= c.complete {
		return found, nil
	}
	what := "none is left"
	if found != nil {
		what = fmt.Sprintf("the newest one is %d", found.ID)
	}
	return nil, fmt.Errorf("checkpoint %d was complete before the crash, and after it %s: %w", c.complete, what, errors.Join(refused...))
}
