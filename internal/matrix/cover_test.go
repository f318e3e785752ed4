package matrix

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPairwiseMeetsEveryPairAndSeed(t *testing.T) {
	for _, offset := range []uint64{0, 200} {
		cases := Pairwise(seeds, offset)
		var met, all coverage
		for _, p := range points() {
			all.add(p)
		}
		at := map[Case]point{}
		for _, p := range points() {
			at[p.at(0)] = p
		}
		type dealt struct {
			stage int
			seed  uint64
			lag   bool
		}
		seen := map[dealt]bool{}
		for _, c := range cases {
			seen[dealt{c.Stage, c.Seed, c.Lag}] = true
			c.Seed = 0
			require.Contains(t, at, c)
			met.add(at[c])
		}
		require.Equal(t, all.pairs, met.pairs)
		require.Equal(t, all.triples, met.triples, "so many runs meet every triple, too")
		require.Len(t, seen, len(stages())*seeds*2)
	}
	require.NotEqual(t, Pairwise(seeds, 0), Pairwise(seeds, 1), "another day, other cases")
	require.Equal(t, Pairwise(seeds, 1), Pairwise(seeds, 1))
}

func TestLivePairwiseMeetsEveryPairOfLiveRuns(t *testing.T) {
	cases := LivePairwise(3)
	require.Less(t, len(cases), 40)
	met, all := map[int]bool{}, map[int]bool{}
	for _, p := range points() {
		if drivers[p[dimDriver]] == Live {
			p.each(func(x int) { all[x] = true }, func(int) {})
		}
		for _, c := range cases {
			if p.at(c.Seed) == c {
				p.each(func(x int) { met[x] = true }, func(int) {})
			}
		}
	}
	require.Equal(t, all, met)
}

func TestProductIsWholeAndDealsSeedsOut(t *testing.T) {
	cases := Product(seeds, 0)
	require.Len(t, cases, len(points()))
	bySeed, seen := map[uint64]map[int]bool{}, map[Case]bool{}
	for _, c := range cases {
		if bySeed[c.Seed] == nil {
			bySeed[c.Seed] = map[int]bool{}
		}
		bySeed[c.Seed][c.Stage] = true
		c.Seed = 0
		seen[c] = true
	}
	require.Len(t, seen, len(cases), "every combination once")
	require.Len(t, bySeed, seeds)
	for seed, met := range bySeed {
		require.Len(t, met, len(stages()), "seed %d meets every stage", seed)
	}
	met := map[Case]bool{}
	for offset := range uint64(seeds) {
		met[Product(seeds, offset)[17]] = true
	}
	require.Len(t, met, seeds, "over so many offsets a combination meets every seed")
}

func TestCaseIsReadAsItIsPrinted(t *testing.T) {
	for _, c := range Pairwise(3, 7) {
		again, err := ParseCase(c.String())
		require.NoError(t, err)
		require.Equal(t, c, again)
	}
	for _, text := range []string{"", "stage=9 parallelism=1", Case{Stage: 6, Parallelism: 1, Partitions: 1, Backend: "heap", Driver: "fast"}.String()} {
		_, err := ParseCase(text)
		require.ErrorContains(t, err, "is no case, such as")
	}
}
