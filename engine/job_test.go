package engine_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	"gatewaymeter/stream"
)

// word is the element of these tests: a count for a key.
type word struct {
	Key string
	N   int64
}

func keyOfWord(w word) string { return w.Key }

// numbers is a source that makes the words of its subtask: every parallelism-th number from its
// index on, so that the stream as a whole is 0 to total-1.
type numbers struct {
	total, next int
	keys        int
	stall       bool // never ends
}

func (s *numbers) Open(c *stream.Context) error {
	s.next = c.Subtask
	return nil
}

func (s *numbers) Poll(c *stream.Context, max int, out stream.SourceOutput[word]) (stream.Progress, error) {
	for range max {
		if s.next >= s.total {
			if s.stall {
				return stream.Waiting, nil
			}
			out.Signal(stream.Signal{Watermark: stream.MaxTime})
			return stream.Ended, nil
		}
		out.Emit(word{Key: fmt.Sprintf("k-%d", s.next%s.keys), N: int64(s.next)}, stream.Time(s.next))
		s.next += c.Parallelism
	}
	out.Signal(stream.Signal{Watermark: stream.Time(s.next - c.Parallelism)})
	return stream.Reading, nil
}

func (s *numbers) Ready() <-chan struct{} { return nil }

// summing adds up each key's numbers and emits the running sum.
type summing struct{ sum stream.Value[int64] }

func (f *summing) Open(c *stream.Context) error {
	f.sum = stream.NewValue(c, "sum", stream.Int64)
	return nil
}

func (f *summing) ProcessElement(c *stream.Context, w word, out stream.Collector[word]) error {
	total, _ := f.sum.Get()
	total += w.N
	f.sum.Update(total)
	out.Collect(word{Key: c.Key(), N: total})
	return nil
}

// failing fails at one number, in the way that it is told.
type failing struct{ how func() error }

func (f failing) Open(*stream.Context) error { return nil }

func (f failing) ProcessElement(_ *stream.Context, w word, out stream.Collector[word]) error {
	if w.N == 500 {
		return f.how()
	}
	out.Collect(w)
	return nil
}

// results is a sink shared by all subtasks.
type results struct {
	mu   sync.Mutex
	got  []word
	last map[string]int64
}

func (r *results) sink() stream.Sink[word] { return wordSink{r} }

type wordSink struct{ to *results }

func (wordSink) Open(*stream.Context) error { return nil }

func (s wordSink) Write(_ *stream.Context, w word) error {
	s.to.mu.Lock()
	defer s.to.mu.Unlock()
	s.to.got = append(s.to.got, w)
	if s.to.last == nil {
		s.to.last = map[string]int64{}
	}
	s.to.last[w.Key] = max(s.to.last[w.Key], w.N)
	return nil
}

func (wordSink) Flush() stream.Work { return func() error { return nil } }

// sums is the job of these tests.
func sums(parallelism, total int, r *results, between func() stream.KeyedFunction[word, word]) *engine.Job {
	j := engine.NewJob("sums", testParts(), parallelism)
	s := engine.From(j, "numbers", func() stream.Source[word] { return &numbers{total: total, keys: 10} })
	if between != nil {
		s = engine.ProcessKeyed(keyBy(s, keyOfWord), "between", between)
	}
	out := engine.ProcessKeyed(keyBy(s, keyOfWord), "sum", func() stream.KeyedFunction[word, word] { return &summing{} })
	engine.SinkTo(out, "sink", r.sink)
	return j
}

// wantSums is what the job must come to, recomputed in the plainest way.
func wantSums(total int) map[string]int64 {
	want := map[string]int64{}
	for n := range total {
		want[fmt.Sprintf("k-%d", n%10)] += int64(n)
	}
	return want
}

func TestLiveRunIsComplete(t *testing.T) {
	for _, parallelism := range []int{1, 3, 8} {
		r := &results{}
		res, err := sums(parallelism, 5000, r, nil).Run(context.Background(), engine.Options{})
		require.NoError(t, err)
		require.Equal(t, wantSums(5000), r.last, "parallelism %d", parallelism)
		require.Len(t, r.got, 5000)
		require.Equal(t, 10, res.Entries["sum/sum"], "one entry a key")
	}
}

func TestSimulatedRunIsCompleteAndRepeatable(t *testing.T) {
	run := func(seed uint64) (map[string]int64, []string) {
		r := &results{}
		s, err := engine.NewSimulation(sums(3, 2000, r, nil), engine.SimOptions{Seed: seed})
		require.NoError(t, err)
		var schedule []string
		s.Observe(func(_ int, what string) { schedule = append(schedule, what) })
		require.NoError(t, s.Run(), "seed %d", seed)
		require.NoError(t, s.Close())
		return r.last, schedule
	}
	var schedules [][]string
	for seed := range uint64(20) {
		got, schedule := run(seed)
		require.Equal(t, wantSums(2000), got, "seed %d", seed)
		_, again := run(seed)
		require.Equal(t, schedule, again, "seed %d gives one run, step by step", seed)
		schedules = append(schedules, schedule)
	}
	require.NotEqual(t, schedules[0], schedules[1], "another seed gives another run")
}

func TestFailureNamesOperatorKeyAndElement(t *testing.T) {
	boom := errors.New("boom")
	cases := map[string]struct {
		how  func() error
		want string
	}{
		"an error":    {func() error { return boom }, "boom"},
		"a panic":     {func() error { panic("pop") }, "pop"},
		"a nil deref": {func() error { var p *word; p.N++; return nil }, "nil pointer"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := &results{}
			j := sums(3, 2000, r, func() stream.KeyedFunction[word, word] { return failing{c.how} })
			_, err := j.Run(context.Background(), engine.Options{})
			var f *engine.Failure
			require.ErrorAs(t, err, &f)
			require.Equal(t, "between", f.UID)
			require.Equal(t, "k-0", f.Key)
			require.Contains(t, f.Element, "N:500")
			require.Contains(t, err.Error(), c.want)
		})
	}
}

// unwritten is a timer service of a lab that is not written yet.
type unwritten struct{ stream.TimerService }

func (unwritten) Next() (stream.Time, bool) { panic("not written") }
func (unwritten) Len() int                  { return 0 }

// Timers are asked for the next one when all tasks are over, too.
func TestATimerServiceThatPanicsEndsTheJobAndNotTheProcess(t *testing.T) {
	parts := testParts()
	parts.Timers = func(*stream.Context, stream.Domain) (stream.TimerService, error) { return unwritten{}, nil }
	j := engine.NewJob("sums", parts, 1)
	s := engine.From(j, "numbers", func() stream.Source[word] { return &numbers{total: 501, keys: 10} })
	boom := errors.New("boom")
	out := engine.ProcessKeyed(keyBy(s, keyOfWord), "between", func() stream.KeyedFunction[word, word] { return failing{func() error { return boom }} })
	engine.SinkTo(out, "sink", (&results{}).sink)
	_, err := j.Run(context.Background(), engine.Options{})
	var f *engine.Failure
	require.ErrorAs(t, err, &f)
	require.Equal(t, "between", f.UID)
}

func TestCancelLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	r := &results{}
	j := engine.NewJob("stalled", testParts(), 3)
	s := engine.From(j, "numbers", func() stream.Source[word] { return &numbers{total: 100, keys: 10, stall: true} })
	engine.SinkTo(engine.ProcessKeyed(keyBy(s, keyOfWord), "sum", func() stream.KeyedFunction[word, word] { return &summing{} }), "sink", r.sink)
	e, err := j.Start(context.Background(), engine.Options{})
	require.NoError(t, err)
	stop := errors.New("stopped by hand")
	e.Cancel(stop)
	_, err = e.Wait()
	require.ErrorIs(t, err, stop)
	// Goroutines that have returned may not have left yet, and on a busy machine that takes a while.
	for late := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(late); {
		runtime.Gosched()
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), before)
}

func TestGraphMistakesAreNamed(t *testing.T) {
	r := &results{}
	j := sums(1, 10, r, func() stream.KeyedFunction[word, word] { return &summing{} })
	s := engine.From(j, "sum", func() stream.Source[word] { return &numbers{} })
	engine.SinkTo(s, "numbers", r.sink)
	err := j.Validate()
	require.ErrorContains(t, err, `uid "sum" is used twice`)
	require.ErrorContains(t, err, `uid "numbers" is used twice`)

	_, err = sums(200, 10, r, nil).Run(context.Background(), engine.Options{})
	require.ErrorContains(t, err, "more than the job's 128 key groups")
}

func TestPlanDescribesItself(t *testing.T) {
	r := &results{}
	p := sums(3, 10, r, nil).Plan()
	var names []string
	for _, task := range p.Tasks {
		names = append(names, task.Name)
	}
	require.Equal(t, []string{"numbers", "sum -> sink"}, names, "the sink is chained to the operator before it")
	require.Contains(t, p.String(), "hash ─ numbers, 3 channels into each subtask")
	require.Contains(t, p.JSON(), `"dispatch": "hash"`)
}

func TestSnapshotRestoresAtAnotherParallelism(t *testing.T) {
	r := &results{}
	s, err := engine.NewSimulation(sums(3, 1000, r, nil), engine.SimOptions{Seed: 7})
	require.NoError(t, err)
	require.NoError(t, s.Run())
	snapshots, err := s.Snapshot()
	require.NoError(t, err)
	require.NoError(t, s.Close())
	for _, parallelism := range []int{1, 2, 5} {
		again := &results{}
		s, err := engine.NewSimulation(sums(parallelism, 1000, again, nil), engine.SimOptions{Seed: 8, Restore: snapshots})
		require.NoError(t, err)
		require.NoError(t, s.Run())
		require.NoError(t, s.Close())
		for key, sum := range wantSums(1000) {
			require.Equal(t, 2*sum, again.last[key], "parallelism %d: the sums go on from the snapshot", parallelism)
		}
	}
}
