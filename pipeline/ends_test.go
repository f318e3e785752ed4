package pipeline

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	windows "gatewaymeter/labs/04-windows/solution"
	"gatewaymeter/stream"
)

// instant is an element that is nothing but its time.
type instant struct {
	at   stream.Time
	from int32
}

// instants counts elements.
type instants struct{}

func (instants) Create() int64              { return 0 }
func (instants) Add(acc *int64, _ instant)  { *acc++ }
func (instants) Result(acc int64) int64     { return acc }
func (instants) Merge(acc *int64, in int64) { *acc += in }

// minuteCount is a minute and how many elements it had.
type minuteCount struct {
	window stream.Window
	count  int64
}

// collected is a sink that keeps all.
type collected[T any] struct {
	mu  sync.Mutex
	all []T
}

func (s *collected[T]) Open(*stream.Context) error { return nil }
func (s *collected[T]) Flush() stream.Work         { return nil }
func (s *collected[T]) Write(_ *stream.Context, v T) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, v)
	return nil
}

// Timestamps at the ends of int64 go through a whole job: split watermarks, valve, windows, timers. Each
// element counts in one minute, once, and none is late, since each partition's times ascend: but for those
// of the last minute, which would end past the end of int64 and cannot be there (they are late, in Flink
// as here; lab 04).
func TestTimestampsAtTheEndsOfInt64ThroughAJob(t *testing.T) {
	ends := []stream.Time{
		math.MinInt64 + 1, math.MinInt64 + 2, math.MinInt64 + 59_999, math.MinInt64 + 60_001, -60_001, -1,
		0, 1, math.MaxInt64 - 120_000, math.MaxInt64 - 60_001, math.MaxInt64 - 5001, math.MaxInt64 - 1, math.MaxInt64,
	}
	for seed := range uint64(20) {
		for _, parallelism := range []int{1, 2, 3} {
			topic := NewRecorded("instants", 2)
			for _, at := range ends {
				for _, key := range []string{"a", "b", "c"} {
					topic.Append([]byte(key), binary.BigEndian.AppendUint64(nil, uint64(at)))
				}
			}
			fired, late := countMinutes(t, topic, parallelism, seed)
			about := fmt.Sprintf("seed %d, parallelism %d", seed, parallelism)
			const lastMinute = math.MaxInt64 - math.MaxInt64%60_000
			for _, i := range late {
				require.GreaterOrEqual(t, i.at, stream.Time(lastMinute), about)
			}
			counted := int64(len(late))
			seen := map[stream.Window]bool{}
			for _, m := range fired {
				require.False(t, seen[m.window], "%s: %v fired twice", about, m.window)
				seen[m.window] = true
				counted += m.count
			}
			require.EqualValues(t, 3*len(ends), counted, about)
		}
	}
}

// countMinutes counts a topic of instants by the minute, under one key, without lateness.
func countMinutes(t *testing.T, topic *Recorded, parallelism int, seed uint64) (fired []minuteCount, late []instant) {
	t.Helper()
	parts, _, err := Ours(5)
	require.NoError(t, err)
	j := engine.NewJob("instants", parts, parallelism)
	source := engine.From(j, "source", func() stream.Source[instant] {
		return engine.NewLogSource(parts, engine.LogConfig[instant]{
			Splits: topic.Splits(), Log: topic.Log, Every: 3,
			Decode: func(m stream.Message) (instant, stream.Time, error) {
				at := stream.Time(binary.BigEndian.Uint64(m.Value))
				return instant{at, m.Partition}, at, nil
			},
		})
	})
	minutes, err := windows.NewTumbling(time.Minute, 0)
	require.NoError(t, err)
	lateTag := stream.Tag[instant]{Name: "late"}
	one := func(instant) string { return "one" }
	keyed := byKey(source, one, exchange[instant](parts.Groups))
	counts := engine.ProcessKeyed(keyed, "minutes", func() stream.KeyedFunction[instant, minuteCount] {
		return windows.New(windows.Config[instant, int64, int64, minuteCount]{
			Assigner: minutes, Aggregate: instants{}, Codec: stream.Int64, Retention: windows.Allowed(0), Late: lateTag,
			Function: func(_ *stream.Context, w stream.Window, _ string, n int64, out stream.Collector[minuteCount]) {
				out.Collect(minuteCount{w, n})
			},
		})
	})
	results, lates := &collected[minuteCount]{}, &collected[instant]{}
	engine.SinkTo(counts, "results", func() stream.Sink[minuteCount] { return results })
	engine.SinkTo(engine.Side(counts, lateTag), "lates", func() stream.Sink[instant] { return lates })
	s, err := engine.NewSimulation(j, engine.SimOptions{Seed: seed})
	require.NoError(t, err)
	require.NoError(t, s.Run())
	require.Zero(t, s.Result().Timers)
	require.NoError(t, s.Close())
	return results.all, lates.all
}
