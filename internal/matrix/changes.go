package matrix

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/internal/replay"
	"gatewaymeter/oracle"
)

// Relations are the changes and what must come of them.
var Relations = []Relation{
	{
		Name: "another order between requests", Says: "the bill stays",
		change: func(m []generator.Message, seed uint64) ([]generator.Message, expectation) {
			return generator.Shuffle(m, seed+1, bound), expectation{}
		},
	},
	{
		Name: "every event once more", Says: "the bill stays, and so many more are duplicates",
		change: func(m []generator.Message, seed uint64) ([]generator.Message, expectation) {
			changed, n := again(m, seed)
			return changed, expectation{counts: func(c *oracle.Counts) { c.Events, c.Duplicates = c.Events+n, c.Duplicates+n }}
		},
	},
	{
		Name: "strangers between them", Says: "nobody else's bill changes",
		change: func(m []generator.Message, seed uint64) ([]generator.Message, expectation) {
			strangers, _ := replay.DefaultTraffic(len(m)/3, seed+1000).Messages()
			strangers = eachEvent(strangers, func(e *gateway.Event) { e.RequestID, e.TenantID = "s-"+e.RequestID, "stranger-"+e.TenantID })
			ours := func(tenant string) bool { return !strings.HasPrefix(tenant, "stranger-") }
			return merge(m, strangers), expectation{ours: ours, other: true}
		},
	},
	{
		Name: "another topic, with seven partitions", Says: "the bill stays",
		change: func(m []generator.Message, _ uint64) ([]generator.Message, expectation) { return m, expectation{} },
		job: func(j replay.Job) replay.Job {
			j.Partitions, j.Schedule = 7, j.Schedule+1
			return j
		},
	},
	{
		Name: "seven hours later", Says: "each line is seven hours later",
		change: func(m []generator.Message, _ uint64) ([]generator.Message, expectation) {
			later := (7 * time.Hour).Milliseconds()
			line := func(l billLine) billLine {
				if l.start > 0 {
					l.start += later
				}
				return l
			}
			return eachEvent(m, func(e *gateway.Event) { e.TS += later }), expectation{line: line}
		},
	},
	{
		Name: "three times the tokens", Says: "each line is three times as dear",
		change: func(m []generator.Message, _ uint64) ([]generator.Message, expectation) {
			line := func(l billLine) billLine { l.sum *= 3; return l }
			counts := func(c *oracle.Counts) { c.USDNano *= 3 }
			return eachEvent(m, func(e *gateway.Event) { e.PromptTokens *= 3; e.CompletionTokens *= 3 }), expectation{line: line, counts: counts}
		},
	},
	{
		Name: "garbage between them", Says: "the bill stays, and so many more are malformed",
		change: func(m []generator.Message, seed uint64) ([]generator.Message, expectation) {
			changed, n := garbage(m, seed)
			return changed, expectation{counts: func(c *oracle.Counts) { c.Events, c.Malformed = c.Events+n, c.Malformed+n }}
		},
	},
	{
		Name: "other request ids", Says: "the bill stays",
		change: func(m []generator.Message, seed uint64) ([]generator.Message, expectation) {
			return eachEvent(m, func(e *gateway.Event) { e.RequestID = fmt.Sprintf("%s-%x", e.RequestID, seed) }), expectation{}
		},
	},
}

// bound is B of the traffic.
const bound = 5 * time.Second

// eachEvent changes every event, and leaves malformed messages where they are: a key of theirs that
// belongs to a request may then belong to none.
func eachEvent(messages []generator.Message, change func(*gateway.Event)) []generator.Message {
	changed := slices.Clone(messages)
	for i, m := range messages {
		if e, ok := generator.EventOf(m); ok {
			change(&e)
			changed[i] = generator.NewMessage(e)
		}
	}
	return changed
}

// placed is a message and its place in a log: all that stands before it has a ts of at most that.
type placed struct {
	at int64
	m  generator.Message
}

// places gives each message the greatest ts up to and with it. Messages of several logs, sorted by place,
// make a log in which none lags more than in its own.
func places(messages []generator.Message) (all []placed) {
	high := int64(-1)
	for _, m := range messages {
		if _, ok := generator.EventOf(m); ok {
			high = max(high, m.TS)
		}
		all = append(all, placed{high, m})
	}
	return all
}

func sorted(all []placed) (messages []generator.Message) {
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	for _, p := range all {
		messages = append(messages, p.m)
	}
	return messages
}

func merge(a, b []generator.Message) []generator.Message {
	return sorted(append(places(a), places(b)...))
}

// again repeats every event once, at any place until a minute past its ts.
func again(messages []generator.Message, seed uint64) ([]generator.Message, int64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	all := places(messages)
	var copies []placed
	for _, p := range all {
		if e, ok := generator.EventOf(p.m); ok {
			room := max(0, e.TS+time.Minute.Milliseconds()-p.at)
			copies = append(copies, placed{p.at + rng.Int64N(room+1), p.m})
		}
	}
	return sorted(append(all, copies...)), int64(len(copies))
}

// garbage puts a message that is no event behind every third one, on the same key.
func garbage(messages []generator.Message, seed uint64) (changed []generator.Message, n int64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, m := range messages {
		changed = append(changed, m)
		if rng.IntN(3) == 0 {
			n++
			changed = append(changed, generator.Message{Key: m.Key, Value: m.Value[:len(m.Value)*2/3], TS: m.TS, Partition: generator.NoPartition})
		}
	}
	return changed, n
}
