package matrix

import (
	"fmt"
	"math/rand/v2"
)

// The dimensions, in the order of a point's coordinates. Seeds are dealt out besides.
const (
	dimStage = iota
	dimLag
	dimParallelism
	dimPartitions
	dimBackend
	dimDriver
	dimShuffle
	dimDuplicates
	dims
)

// The values of the dimensions.
var (
	parallelisms = []int{1, 2, 3, 7}
	partitions   = []int{1, 2, 3, 7}
	stores       = []string{"heap", "pebble"}
	drivers      = []string{Live, Simulated}
	duplicates   = []float64{0, 0.02, 0.5}
)

// point is a case without its seed: the index of its value in each dimension.
type point [dims]int

// sizes are the numbers of values.
func sizes() [dims]int {
	return [dims]int{len(stages()), 2, len(parallelisms), len(partitions), len(stores), len(drivers), 2, len(duplicates)}
}

func (p point) at(seed uint64) Case {
	return Case{
		Stage: stages()[p[dimStage]], Lag: p[dimLag] == 1, Parallelism: parallelisms[p[dimParallelism]],
		Partitions: partitions[p[dimPartitions]], Backend: stores[p[dimBackend]], Driver: drivers[p[dimDriver]],
		Shuffled: p[dimShuffle] == 1, Duplicates: duplicates[p[dimDuplicates]], Seed: seed,
	}
}

// points are all combinations of values, the last dimension turning fastest.
func points() (all []point) {
	var p point
	var turn func(dim int)
	turn = func(dim int) {
		if dim == dims {
			all = append(all, p)
			return
		}
		for p[dim] = range sizes()[dim] {
			turn(dim + 1)
		}
	}
	turn(0)
	return all
}

// Product is every combination of the values, once. The seeds 1 to seeds are dealt out over them, from
// another one with each offset: after so many offsets every combination has met every seed.
func Product(seeds int, offset uint64) (cases []Case) {
	for i, p := range points() {
		// The stride keeps the seeds of neighbours, which share most values, apart.
		cases = append(cases, p.at(1+(uint64(i)*7+offset)%uint64(seeds)))
	}
	return cases
}

// Pairwise is a part of the product in which every pair of values of two dimensions meets, and every seed
// from 1 to seeds meets every stage with lag on and off: once of them in any driver on any backend, once in
// the simulated driver on the heap, which is fast. Each case is chosen to meet the most pairs that have not met, then the
// most triples. The offset decides between equals: another one, such as the day, gives another part.
func Pairwise(seeds int, offset uint64) []Case {
	var cases []Case
	met, all := new(coverage), points()
	rng := rand.New(rand.NewPCG(offset, 1))
	for seed := 1; seed <= seeds; seed++ {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for stage := range stages() {
			for lag := range 2 {
				free := lag == (seed+stage)%2
				best := met.best(all, func(p point) bool {
					fast := drivers[p[dimDriver]] == Simulated && stores[p[dimBackend]] == "heap"
					return p[dimStage] == stage && p[dimLag] == lag && (free || fast)
				})
				met.add(best)
				cases = append(cases, best.at(uint64(seed)))
			}
		}
	}
	return cases
}

// LivePairwise is a smaller part, of live runs alone, in which every pair of their values meets: for a
// broker on which each takes seconds.
func LivePairwise(offset uint64) (cases []Case) {
	met, all := new(coverage), points()
	rand.New(rand.NewPCG(offset, 1)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for {
		best := met.best(all, func(p point) bool { return drivers[p[dimDriver]] == Live })
		if met.gain(best) < pairGain {
			return cases
		}
		met.add(best)
		cases = append(cases, best.at(1+uint64(len(cases))))
	}
}

// widest is at least the number of values of each dimension.
const widest = 5

// coverage is which pairs and triples of values have met, by the number of each.
type coverage struct {
	pairs   [dims * dims * widest * widest]bool
	triples [dims * dims * dims * widest * widest * widest]bool
}

// each calls pair and triple with the number of all that a point meets.
func (p point) each(pair, triple func(number int)) {
	for i := range dims {
		for j := range i {
			two := ((i*dims+j)*widest+p[i])*widest + p[j]
			pair(two)
			for k := range j {
				triple((two*dims+k)*widest + p[k])
			}
		}
	}
}

func (c *coverage) add(p point) {
	p.each(func(n int) { c.pairs[n] = true }, func(n int) { c.triples[n] = true })
}

// pairGain is what a pair is worth: more than all triples of a point.
const pairGain = 100

// gain is what a point would add, where a triple counts 1.
func (c *coverage) gain(p point) (gain int) {
	p.each(
		func(n int) {
			if !c.pairs[n] {
				gain += pairGain
			}
		},
		func(n int) {
			if !c.triples[n] {
				gain++
			}
		})
	return gain
}

// size is how many pairs and triples have met.
func (c *coverage) size() (pairs, triples int) {
	return count(c.pairs[:]), count(c.triples[:])
}

func count(met []bool) (n int) {
	for _, m := range met {
		if m {
			n++
		}
	}
	return n
}

// best is the first point of some that adds the most.
func (c *coverage) best(all []point, some func(point) bool) (best point) {
	most := -1
	for _, p := range all {
		if !some(p) {
			continue
		}
		if gain := c.gain(p); gain > most {
			best, most = p, gain
		}
	}
	return best
}

// Coverage says how much of all pairs and triples of values some cases meet.
func Coverage(cases []Case) string {
	var all, met coverage
	at := map[Case]point{}
	for _, p := range points() {
		all.add(p)
		at[p.at(0)] = p
	}
	for _, c := range cases {
		c.Seed = 0
		if p, known := at[c]; known {
			met.add(p)
		}
	}
	pairs, triples := all.size()
	metPairs, metTriples := met.size()
	return fmt.Sprintf("%d of %d pairs and %d of %d triples of values met in %d runs", metPairs, pairs, metTriples, triples, len(cases))
}
