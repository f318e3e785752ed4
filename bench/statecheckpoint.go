package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"gatewaymeter/engine"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/pipeline"
)

// Taken is what one checkpoint of a single operator came to.
type Taken struct {
	Seconds float64 `json:"seconds"`       // from its start to its manifest
	Stopped float64 `json:"stopped_s"`     // the part of it during which the task stands still
	Bytes   int64   `json:"bytes"`         // full: all that it names
	Written int64   `json:"written_bytes"` // incremental: what was not there before
}

// DefaultChanged is the share of the entries that change between two checkpoints.
const DefaultChanged = 0.01

// store opens the folder of checkpoints.
func (c Config) store() (*checkpoints.Store, error) {
	dir := filepath.Join(c.Dir, "checkpoints")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("the folder for checkpoints: %w", err)
	}
	return pipeline.OpenCheckpoints(dir)
}

// checkpoints takes two, and between them opens some requests again, here and there.
func (s *State) checkpoints(c Config, u *engine.Unit) error {
	store, err := c.store()
	if err != nil {
		return err
	}
	next, err := store.Next()
	if err != nil {
		return err
	}
	if s.First, err = take(u, store, next); err != nil {
		return err
	}
	s.Snapshot = s.First.Bytes
	s.Changed = int(c.Changed * float64(c.Requests))
	random := rand.New(rand.NewPCG(c.Seed, 7))
	for _, n := range random.Perm(int(c.Requests))[:s.Changed] {
		if err := reopen(u, n); err != nil {
			return err
		}
	}
	s.Second, err = take(u, store, next+1)
	return err
}

func take(u *engine.Unit, store *checkpoints.Store, id int64) (Taken, error) {
	r, err := u.Checkpoint(store, id)
	return Taken{Seconds: r.Duration.Seconds(), Stopped: r.Stopped.Seconds(), Bytes: r.Bytes, Written: r.Written}, err
}

// restore reads the latest checkpoint into a new operator, counts what is there, and closes it.
func (s *State) restore(c Config) error {
	start := time.Now()
	store, err := c.store()
	if err != nil {
		return err
	}
	latest, refused, err := store.Latest()
	if err = errors.Join(append(refused, err)...); err != nil {
		return err
	}
	u, err := c.newAssembler(latest.Operators["assemble"])
	if err != nil {
		return err
	}
	s.RestoreSeconds = time.Since(start).Seconds()
	s.Entries = u.Context().Backend.Entries("open")
	if timers := u.Context().EventTimers; timers != nil {
		s.Timers = timers.Len()
	}
	return u.Close()
}

// OpenRequestsOften is OpenRequests several times: sizes are those of the last round, times are medians.
func OpenRequestsOften(ctx context.Context, c Config, rounds int, each func(round int, s *State)) (*State, error) {
	var all []*State
	for round := range rounds {
		s, err := OpenRequests(ctx, c)
		if err != nil {
			return nil, err
		}
		each(round+1, s)
		all = append(all, s)
	}
	m := *all[rounds-1]
	for _, at := range []func(s *State) *float64{
		func(s *State) *float64 { return &s.FillSeconds },
		func(s *State) *float64 { return &s.First.Seconds },
		func(s *State) *float64 { return &s.First.Stopped },
		func(s *State) *float64 { return &s.Second.Seconds },
		func(s *State) *float64 { return &s.Second.Stopped },
		func(s *State) *float64 { return &s.RestoreSeconds },
	} {
		var values []float64
		for _, s := range all {
			values = append(values, *at(s))
		}
		*at(&m) = median(values)
	}
	return &m, nil
}
