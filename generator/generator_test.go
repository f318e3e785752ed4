package generator

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/oracle"
)

// seeds is how many seeds the properties are tried on; the failing one is in the test's name. A few do
// for every day, as a seed holds each anomaly many times: `go test ./generator -seeds 200` is thorough.
var seeds = flag.Uint64("seeds", 2, "how many seeds to try each property on")

// variants are parameters far from the defaults, where rules meet.
func variants(seed uint64) map[string]Params {
	common := Default(200, seed)
	lag := common
	lag.LagAboveBound = 0.1
	crowded := common
	crowded.InFlight, crowded.Tenants = 3, 1
	wild := common
	wild.NeverCompleted, wild.NeverStarted, wild.Reversed, wild.Long, wild.LagAboveBound = 0.2, 0.2, 0.2, 0.2, 0.2
	wild.Disorder, wild.DuplicateStarted, wild.DuplicateCompleted, wild.Malformed = 1, 1, 1, 1
	wild.UnknownModel, wild.ErrorStatus = 0.5, 1
	strict := common
	strict.Bound, strict.DuplicateWithin, strict.Reversed = 0, 0, 0
	wide := wild
	wide.Bound, wide.DuplicateWithin = 8*time.Minute, 8*time.Minute
	instant := common
	instant.Span = 0
	return map[string]Params{
		"default": common, "lag above the bound": lag, "crowded": crowded, "wild": wild,
		"no disorder allowed": strict, "a bound of 8 minutes": wide, "all at once": instant,
	}
}

func each(t *testing.T, check func(t *testing.T, p Params)) {
	for seed := range *seeds {
		for name, p := range variants(seed) {
			t.Run(fmt.Sprintf("%s, seed %d", name, seed), func(t *testing.T) { check(t, p) })
		}
	}
}

func generate(p Params) ([]Message, Counts) {
	g := New(p)
	return slices.Collect(g.All()), g.Counts()
}

// logOf puts messages into the partitions of a topic.
func logOf(messages []Message, partitions int) []oracle.Message {
	next := make([]int64, partitions)
	log := make([]oracle.Message, len(messages))
	for i, m := range messages {
		p := PartitionOf(m.Key, partitions)
		log[i] = oracle.Message{Partition: p, Offset: next[p], Key: m.Key, Value: m.Value}
		next[p]++
	}
	return log
}

func TestSameParamsSameBytes(t *testing.T) {
	p := Default(3000, 7)
	a, countsA := generate(p)
	b, countsB := generate(p)
	require.Equal(t, a, b)
	require.Equal(t, countsA, countsB)

	p.Seed = 8
	other, _ := generate(p)
	require.NotEqual(t, a, other)
}

// TestSameBytesEverywhere pins the content: another machine, Go version or refactoring must not change
// what a seed means.
func TestSameBytesEverywhere(t *testing.T) {
	messages, _ := generate(Default(2000, 1))
	h := fnv.New64a()
	for _, m := range messages {
		fmt.Fprintf(h, "%q %q %d\n", m.Key, m.Value, m.TS)
	}
	require.Equal(t, "808638acf5970b23", fmt.Sprintf("%016x", h.Sum64()))
}

// TestRules checks G1 to G6 from the outside: it reads the messages again, with its own arithmetic.
func TestRules(t *testing.T) {
	each(t, func(t *testing.T, p Params) {
		messages, _ := generate(p)
		checkRules(t, messages, p)
	})
}

func TestRulesAfterShuffle(t *testing.T) {
	each(t, func(t *testing.T, p Params) {
		messages, _ := generate(p)
		shuffled := Shuffle(messages, p.Seed, p.Bound)
		checkRules(t, shuffled, p)

		order := func(ms []Message) map[string][]string {
			byKey := map[string][]string{}
			for _, m := range ms {
				byKey[string(m.Key)] = append(byKey[string(m.Key)], string(m.Value))
			}
			return byKey
		}
		require.Equal(t, order(messages), order(shuffled), "each key keeps its order")
		if p.Bound > 0 && p.Span > 0 {
			require.NotEqual(t, messages, shuffled)
		}
		require.Equal(t, shuffled, Shuffle(messages, p.Seed, p.Bound), "a function of the seed")
	})
}

type parsed struct {
	Type    string `json:"event_type"`
	ID      string `json:"request_id"`
	Tenant  string `json:"tenant_id"`
	Model   string `json:"model"`
	TS      int64  `json:"ts"`
	Payload struct {
		Prompt     int64  `json:"prompt_tokens"`
		Completion int64  `json:"completion_tokens"`
		Latency    int64  `json:"latency_ms"`
		Status     string `json:"status"`
	} `json:"payload"`
}

// must is require.True for the inner loops: it costs nothing when all is well.
func must(t *testing.T, ok bool, format string, args ...any) {
	if !ok {
		t.Helper()
		require.Fail(t, fmt.Sprintf(format, args...))
	}
}

func checkRules(t *testing.T, messages []Message, p Params) {
	t.Helper()
	bound, within := p.Bound.Milliseconds(), p.DuplicateWithin.Milliseconds()
	bad := malformedOffsets(t, messages)
	high := int64(-1)
	first := map[string]parsed{} // by id and type
	raw := map[string]string{}
	for i, m := range messages {
		must(t, len(m.Key) > 0, "G1: message %d has no key", i)
		if bad[int64(i)] {
			continue // G6: no part in time
		}
		var e parsed
		require.NoError(t, json.Unmarshal(m.Value, &e))
		must(t, e.ID == string(m.Key), "G1: key %q of request %q", m.Key, e.ID)
		must(t, e.TS == m.TS, "message %d: TS %d, in the value %d", i, m.TS, e.TS)
		id := e.ID + e.Type
		if text, again := raw[id]; again {
			must(t, text == string(m.Value), "G4: %s repeats as %s", text, m.Value)
			must(t, high <= e.TS+within, "G4: the duplicate of %s comes at %d", text, high)
			continue
		}
		raw[id], first[id] = string(m.Value), e
		started, hasStart := first[e.ID+"RequestStarted"]
		if lag := high - e.TS; lag > bound {
			must(t, p.LagAboveBound > 0, "G3: %s lags %d ms", m.Value, lag)
			must(t, e.Type == "RequestCompleted" && hasStart, "G5: %s lags %d ms", m.Value, lag)
			must(t, e.TS < started.TS+300_000, "G5: %s lags and is long", m.Value)
			must(t, high-bound-1 < started.TS+300_000, "G5: %s comes at %d, its start at %d", m.Value, high, started.TS)
		}
		high = max(high, e.TS)
		completed, hasEnd := first[e.ID+"RequestCompleted"]
		if hasStart && hasEnd {
			latency := completed.Payload.Latency
			must(t, completed.TS > started.TS, "G2: %s completed at %d, started at %d", e.ID, completed.TS, started.TS)
			must(t, completed.TS-started.TS == latency, "%s took %d ms, says %d", e.ID, completed.TS-started.TS, latency)
			must(t, e.Type == "RequestCompleted" || latency <= bound, "G2: the reversal %s took %d ms", e.ID, latency)
		}
	}
}

// malformedOffsets asks the oracle, which judges by its own rules, in one partition.
func malformedOffsets(t *testing.T, messages []Message) map[int64]bool {
	t.Helper()
	v, err := oracle.Expect(logOf(messages, 1), oracle.Options{Stage: 3})
	require.NoError(t, err)
	bad := map[int64]bool{}
	for _, d := range v.DeadLetters {
		bad[d.Offset] = true
	}
	return bad
}

// TestOracleAgrees: what the generator says it did is what the oracle finds, at every stage, in any
// number of partitions, and after a shuffle.
func TestOracleAgrees(t *testing.T) {
	each(t, func(t *testing.T, p Params) {
		messages, counts := generate(p)
		shuffled := Shuffle(messages, p.Seed, p.Bound)
		var bills []int64
		for _, run := range []struct {
			stage int
			log   []Message
		}{{3, messages}, {4, shuffled}, {6, messages}, {7, shuffled}} {
			v, err := oracle.Expect(logOf(run.log, 1+int(p.Seed)%7), oracle.Options{Stage: run.stage, Bound: p.Bound.Milliseconds()})
			require.NoError(t, err)
			c := v.Counts
			require.Equal(t, counts.At(run.stage), StageCounts{
				Requests: c.Requests, Events: c.Events, Malformed: c.Malformed, Duplicates: c.Duplicates, Records: c.Records,
				Abandoned: c.Abandoned, Unmatched: c.Unmatched, Unpriced: c.Unpriced, OpenEntries: c.OpenEntries,
			}, "stage %d", run.stage)
			if p.LagAboveBound == 0 {
				require.Zero(t, v.MayBeLate)
				require.LessOrEqual(t, v.MaxLag, p.Bound.Milliseconds())
			}
			bills = append(bills, c.USDNano)
		}
		require.Equal(t, bills[0], bills[1], "a shuffle changes no bill")
		require.Equal(t, bills[2], bills[3], "a shuffle changes no bill")
	})
}

// TestCountsFromOutside counts what the oracle's stages do not tell.
func TestCountsFromOutside(t *testing.T) {
	each(t, func(t *testing.T, p Params) {
		messages, counts := generate(p)
		got := Counts{Requests: int64(p.Requests), Messages: int64(len(messages))}
		bad := malformedOffsets(t, messages)
		got.Malformed = int64(len(bad))
		events, reversed := map[string]parsed{}, map[string]bool{}
		high := int64(-1)
		for i, m := range messages {
			if bad[int64(i)] {
				continue
			}
			var e parsed
			require.NoError(t, json.Unmarshal(m.Value, &e))
			_, again := events[e.ID+e.Type]
			switch {
			case again && e.Type == "RequestStarted":
				got.DuplicateStarted++
			case again:
				got.DuplicateCompleted++
			default:
				events[e.ID+e.Type] = e
				if e.TS < high {
					got.Disordered++
				}
				if high-e.TS > p.Bound.Milliseconds() {
					got.LagAboveBound++
				}
				if _, ended := events[e.ID+"RequestCompleted"]; ended && e.Type == "RequestStarted" {
					got.Reversed++
					reversed[e.ID] = true
				}
			}
			high = max(high, e.TS)
		}
		for n := range p.Requests {
			s, started := events[fmt.Sprintf("r-%dRequestStarted", n)]
			c, ended := events[fmt.Sprintf("r-%dRequestCompleted", n)]
			must(t, started || ended, "request %d has no event", n)
			switch {
			case !ended:
				got.NeverCompleted++
			case !started:
				got.NeverStarted++
			case c.TS-s.TS >= 300_000 && !reversed[s.ID]:
				got.Long++
			}
			if ended && c.Payload.Status != "ok" {
				got.ErrorStatus++
			}
			if s.Model == "model-x" || c.Model == "model-x" {
				got.UnknownModel++
			}
		}
		for _, n := range counts.MalformedKinds {
			counts.Malformed -= n
		}
		require.Zero(t, counts.Malformed, "kinds add up")
		counts.Malformed = got.Malformed
		counts.MalformedKinds, counts.unknown = got.MalformedKinds, got.unknown
		require.Equal(t, got, counts)
	})
}

// TestEveryAnomalyAtDefault: 1,000 requests are enough for all but lag above B, which is off.
func TestEveryAnomalyAtDefault(t *testing.T) {
	for seed := range 2 + *seeds {
		_, c := generate(Default(1000, seed))
		for name, n := range map[string]int64{
			"disordered": c.Disordered, "duplicate started": c.DuplicateStarted, "duplicate completed": c.DuplicateCompleted,
			"never completed": c.NeverCompleted, "never started": c.NeverStarted, "reversed": c.Reversed, "long": c.Long,
			"unknown model": c.UnknownModel, "error status": c.ErrorStatus, "unpriced at 03": c.At(3).Unpriced,
		} {
			require.Positive(t, n, "%s, seed %d", name, seed)
		}
		for i, n := range c.MalformedKinds {
			require.Positive(t, n, "%s, seed %d", MalformedNames()[i], seed)
		}
		require.Zero(t, c.LagAboveBound)

		lag := Default(1000, seed)
		lag.LagAboveBound = 0.05
		_, c = generate(lag)
		require.Positive(t, c.LagAboveBound, "seed %d", seed)
	}
}

// TestLagAboveBoundCanBeLate: with the rate on, some records may miss their window; that is its use.
func TestLagAboveBoundCanBeLate(t *testing.T) {
	p := Default(3000, 5)
	p.LagAboveBound = 0.05
	messages, _ := generate(p)
	v, err := oracle.Expect(logOf(messages, 4), oracle.Options{Stage: 4, Bound: p.Bound.Milliseconds()})
	require.NoError(t, err)
	require.Positive(t, v.MayBeLate)
	require.Less(t, v.MayBeLate, v.Counts.Records/10)
}

// TestInFlightIsBounded counts requests that are open in the log and will be completed.
func TestInFlightIsBounded(t *testing.T) {
	p := Default(2000, 3)
	p.InFlight, p.Span = 10, 0
	messages, _ := generate(p)
	ends := map[string]int{}
	for i, m := range messages {
		if bytes.Contains(m.Value, []byte("Completed")) {
			if _, seen := ends[string(m.Key)]; !seen {
				ends[string(m.Key)] = i
			}
		}
	}
	open, now, most := map[string]bool{}, 0, 0
	for i, m := range messages {
		k := string(m.Key)
		if end, seen := ends[k]; seen && end > i && !open[k] {
			open[k] = true
			now++
		} else if seen && end == i && open[k] {
			now--
		}
		most = max(most, now)
	}
	require.LessOrEqual(t, most, p.InFlight)
	require.GreaterOrEqual(t, most, p.InFlight-1)
}

func TestEveryPartitionGetsRecords(t *testing.T) {
	messages, _ := generate(Default(1000, 1))
	for _, n := range []int{1, 2, 3, 4, 7, 8, 16} {
		counts := make([]int, n)
		for _, m := range messages {
			counts[PartitionOf(m.Key, n)]++
			require.Equal(t, PartitionOf(m.Key, n), PartitionOf(string(m.Key), n))
		}
		for p, c := range counts {
			require.Greater(t, c, len(messages)/n/2, "partition %d of %d: %v", p, n, counts)
		}
	}
	require.Panics(t, func() { PartitionOf("r-1", 0) })
}

func TestValidateNamesTheField(t *testing.T) {
	require.NoError(t, Default(0, 0).Validate())
	for field, spoil := range map[string]func(*Params){
		"Requests":         func(p *Params) { p.Requests = -1 },
		"Tenants":          func(p *Params) { p.Tenants = 0 },
		"InFlight":         func(p *Params) { p.InFlight = 0 },
		"Span":             func(p *Params) { p.Span = -1 },
		"Bound":            func(p *Params) { p.Bound = -time.Second },
		"DuplicateWithin":  func(p *Params) { p.DuplicateWithin = p.Bound - 1 },
		"Start":            func(p *Params) { p.Start = 0 },
		"Reversed":         func(p *Params) { p.Bound = 0 },
		"Disorder":         func(p *Params) { p.Disorder = 1.5 },
		"Malformed":        func(p *Params) { p.Malformed = -0.1 },
		"UnknownModel":     func(p *Params) { p.UnknownModel = 2 },
		"NeverCompleted +": func(p *Params) { p.NeverCompleted, p.Long = 0.6, 0.6 },
	} {
		p := Default(10, 1)
		spoil(&p)
		require.ErrorContains(t, p.Validate(), "generator: "+field)
		require.Panics(t, func() { New(p) })
	}
}

// TestTinyRuns: nothing special happens at the edges.
func TestTinyRuns(t *testing.T) {
	for n := range 30 {
		p := Default(n, 1)
		messages, counts := generate(p)
		require.Equal(t, int64(len(messages)), counts.Messages)
		require.Equal(t, int64(n), counts.Requests)
		checkRules(t, messages, p)
	}
}
