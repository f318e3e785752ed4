// Package crashmatrix turns everything that can go wrong in a crash: where the worker dies, what else
// fails, how the job is laid out before and after, on which backend and disk. A seed is one run.
//
// It promises that a run counts only if what was to go wrong did, with something to lose at that moment,
// and that [Coverage] names what no run has reached. It leaves the runs to package pipeline, and what is
// right to package oracle.
package crashmatrix

import (
	"fmt"
	"math/rand/v2"

	"gatewaymeter/engine"
	"gatewaymeter/pipeline"
)

// Kind is what goes wrong in a run.
type Kind string

// The kinds of runs. Stages without checkpoints know the first three.
const (
	OneCrash       Kind = "one crash"
	TwoCrashes     Kind = "two crashes"
	SlowSubtask    Kind = Kind(pipeline.SlowSubtask)
	CrashInRestore Kind = "crash during restore"
	LostAck        Kind = Kind(pipeline.LostAck)
	FailedWrite    Kind = Kind(pipeline.FailedWrite)
	TornWrite      Kind = Kind(pipeline.TornWrite)
)

// Kinds are those of a stage.
func Kinds(stage int) []Kind {
	kinds := []Kind{OneCrash, TwoCrashes, SlowSubtask, CrashInRestore, LostAck, FailedWrite, TornWrite}
	if stage < 7 {
		return kinds[:3]
	}
	return kinds
}

// Case is one run, a function of stage and seed.
type Case struct {
	Stage       int
	Seed        uint64
	Kind        Kind
	Point       engine.CrashPoint // where the worker dies first; see pipeline.CrashConfig.At
	From        string
	Parallelism int
	Restarted   int // parallelism after the restart
	Partitions  int
	Buffered    bool // see pipeline.CrashConfig
	Retain      int  // checkpoints that the store keeps
	Backend     string
	Traffic     uint64 // seed of what is in the log
}

// The values of the other dimensions. Logs are shared between seeds, since making and judging one takes
// longer than a run.
var (
	parallelisms = [][2]int{{2, 3}, {3, 2}, {2, 2}, {3, 3}, {2, 4}, {4, 2}}
	partitions   = []int{3, 4, 5}
	traffics     = uint64(24)
)

// pebbleEvery is how many seeds there are to one on pebble, whose folders cost more than a whole run on
// the heap. It shares no factor with the other cycles.
const pebbleEvery = 97

// Of is the case of a seed. Kinds alternate from seed to seed, points from one round of kinds to the
// next, so that a stretch of [Cycle] seeds meets all pairs. The rest is drawn.
func Of(stage int, seed uint64) Case {
	rng := rand.New(rand.NewPCG(seed, 0xC0FFEE))
	layout := parallelisms[rng.IntN(len(parallelisms))]
	c := Case{
		Stage: stage, Seed: seed, From: pipeline.FromCheckpoint,
		Parallelism: layout[0], Restarted: layout[1], Partitions: partitions[rng.IntN(len(partitions))],
		Buffered: rng.IntN(2) == 0, Retain: 1 + rng.IntN(3), Backend: "heap", Traffic: rng.Uint64N(traffics),
	}
	if seed%pebbleEvery == pebbleEvery-1 {
		c.Backend = "pebble"
	}
	if stage < 7 {
		c.From, c.Buffered = []string{pipeline.FromEarliest, pipeline.FromLatest}[rng.IntN(2)], false
	}
	kinds, points := Kinds(stage), Points(stage)
	n := uint64(len(kinds))
	c.Kind, c.Point = kinds[seed%n], points[seed/n%uint64(len(points))]
	if c.Kind == CrashInRestore {
		c.Point = engine.CrashPoint{What: engine.PointRestore, After: seed/n%2 == 0}
	}
	c.Buffered = c.Buffered || c.Point.What == engine.PointFlush
	return c
}

// Points are the moments at which a job of a stage can die while it runs: every step that it takes,
// before and after.
func Points(stage int) (points []engine.CrashPoint) {
	for _, row := range engine.CrashTable {
		if row.Name == engine.PointRestore || !pipeline.Meets(stage, row.Name, true) {
			continue
		}
		for _, after := range []bool{false, true} {
			points = append(points, engine.CrashPoint{What: row.Name, After: after})
		}
	}
	return points
}

// Cycle is how many seeds it takes to meet every kind at every point.
func Cycle(stage int) int { return len(Kinds(stage)) * len(Points(stage)) }

// String is the case in one line.
func (c Case) String() string {
	sinks := "plain"
	if c.Buffered {
		sinks = "buffered"
	}
	return fmt.Sprintf("%s %s, parallelism %d then %d, %d partitions, %s sinks, %s, %d retained, traffic %d",
		c.Kind, c.where(), c.Parallelism, c.Restarted, c.Partitions, sinks, c.Backend, c.Retain, c.Traffic)
}

func (c Case) where() string {
	switch {
	case c.Kind == TornWrite:
		return "of the store"
	case c.Point.N > 0:
		return c.Point.String()
	case c.Point.After:
		return "after " + c.Point.What
	}
	return "before " + c.Point.What
}
