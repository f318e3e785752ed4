package engine_test

import (
	"hash/fnv"

	"gatewaymeter/engine"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	"gatewaymeter/stream"
)

// testGroups places keys in the simplest way that satisfies the contract: the engine must not care.
type testGroups struct{ max int }

func (g testGroups) Max() int                         { return g.max }
func (g testGroups) Of(hash int32) int                { return int(uint32(hash) % uint32(g.max)) }
func (g testGroups) Owner(group, parallelism int) int { return group * parallelism / g.max }

func (g testGroups) Range(subtask, parallelism int) (first, last int) {
	return (subtask*g.max + parallelism - 1) / parallelism, ((subtask+1)*g.max - 1) / parallelism
}

func testHash(key string) int32 {
	h := fnv.New32a()
	h.Write([]byte(key))
	return int32(h.Sum32())
}

// testExchange deals records out by their key's group.
type testExchange[T any] struct {
	groups testGroups
	keyOf  func(T) string
	owner  []int
}

func (x testExchange[T]) Split(in []stream.Record[T], out []*stream.Batch[T]) {
	for _, r := range in {
		group := x.groups.Of(testHash(x.keyOf(r.Value)))
		r.Group = uint16(group)
		b := out[x.owner[group]]
		b.Records = append(b.Records, r)
	}
}

var groups = testGroups{max: 128}

func keyBy[T any](s engine.Stream[T], keyOf func(T) string) engine.KeyedStream[T] {
	return engine.KeyBy(s, keyOf, func(owner []int) stream.Exchange[T] { return testExchange[T]{groups, keyOf, owner} })
}

// testParts is an engine of stage 03: state, no time.
func testParts() engine.Parts {
	return engine.Parts{
		Groups:       groups,
		Hash:         testHash,
		Backend:      func(s engine.Subtask) (stream.Backend, error) { return operators.NewHeap(s.First, s.Last), nil },
		Operator:     operators.NewOperatorStore,
		Redistribute: operators.Redistribute,
		Valve:        func(inputs int) stream.Valve { return newMinimum(inputs) },
	}
}

// minimum is a valve without idleness: the least watermark of all inputs.
type minimum struct {
	marks []stream.Time
	last  stream.Time
}

func newMinimum(inputs int) *minimum {
	m := &minimum{marks: make([]stream.Time, inputs), last: stream.NoTime}
	for i := range m.marks {
		m.marks[i] = stream.NoTime
	}
	return m
}

func (m *minimum) Watermark(input int, t stream.Time) stream.Signal {
	m.marks[input] = t
	least := m.marks[0]
	for _, t := range m.marks {
		least = min(least, t)
	}
	if least <= m.last {
		return stream.Nothing
	}
	m.last = least
	return stream.Signal{Watermark: least}
}

func (m *minimum) Idle(int) stream.Signal   { return stream.Nothing }
func (m *minimum) Active(int) stream.Signal { return stream.Nothing }
