package livecrash

import (
	"fmt"
	"math/rand/v2"
)

// Moment is when a job is killed. It is counted in what the job has done, never in time.
type Moment struct {
	Kind        Kind
	Checkpoints int  // complete in this life
	Lines       int  // written to the output topics since
	Damage      bool // then the newest checkpoint is damaged, if there is an older one
}

// Kind is what a moment is about.
type Kind uint8

// The kinds of moments.
const (
	AfterLines    Kind = iota // checkpoints complete, then lines written
	MidCheckpoint             // checkpoints complete, then the next one begun: parts are there, and no manifest
	InRestore                 // as soon as the job says from which checkpoint it starts
	WithBroker                // checkpoints complete, then the broker is killed, started again, and the job killed after it
)

func (m Moment) String() string {
	switch m.Kind {
	case MidCheckpoint:
		return fmt.Sprintf("in the middle of the checkpoint after %d complete ones", m.Checkpoints)
	case InRestore:
		return "while it restores"
	case WithBroker:
		return fmt.Sprintf("the broker after %d checkpoints, then the job", m.Checkpoints)
	}
	return fmt.Sprintf("after %d checkpoints and %d lines more", m.Checkpoints, m.Lines)
}

// moments chooses when to kill, by a seed. The first is never in a restore, since there is none. The broker
// is killed too in so many lives, or in fewer if the seed hits one of them twice.
func moments(seed uint64, kills, brokerKills int) []Moment {
	rng := rand.New(rand.NewPCG(seed, 0x11FE))
	all := make([]Moment, kills)
	for i := range all {
		all[i] = Moment{Kind: AfterLines, Checkpoints: 1 + rng.IntN(2), Lines: rng.IntN(10)}
		switch n := rng.IntN(10); {
		case i > 0 && n < 2:
			all[i] = Moment{Kind: InRestore}
		case n < 5:
			all[i] = Moment{Kind: MidCheckpoint, Checkpoints: 1}
		}
	}
	for i := range all {
		all[i].Damage = rng.IntN(4) == 0
	}
	for range brokerKills { // not in the first life
		all[1+rng.IntN(kills-1)] = Moment{Kind: WithBroker, Checkpoints: 1}
	}
	return all
}
