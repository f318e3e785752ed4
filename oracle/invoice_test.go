package oracle

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// t0 is the start of a minute, so that offsets from it are offsets in the first window.
const t0 = 1_700_000_040_000

// script builds a log by hand, in one partition unless told otherwise.
type script struct {
	log  []Message
	next map[int32]int64
}

func (s *script) message(partition int32, key, value string) {
	if s.next == nil {
		s.next = map[int32]int64{}
	}
	s.log = append(s.log, Message{Partition: partition, Offset: s.next[partition], Key: []byte(key), Value: []byte(value)})
	s.next[partition]++
}

// start adds a RequestStarted at t0+at ms.
func (s *script) start(id, tenant, model string, at, tokens int64) *script {
	s.message(0, id, startJSON(id, tenant, model, at, tokens))
	return s
}

// end adds a RequestCompleted at t0+at ms.
func (s *script) end(id string, at, tokens int64, status string) *script {
	s.message(0, id, endJSON(id, at, tokens, status))
	return s
}

func startJSON(id, tenant, model string, at, tokens int64) string {
	return fmt.Sprintf(`{"event_type":"RequestStarted","request_id":%q,"tenant_id":%q,"model":%q,"ts":%d,"payload":{"prompt_tokens":%d}}`,
		id, tenant, model, t0+at, tokens)
}

// endJSON names another tenant and model on purpose: a bill goes by those of the start.
func endJSON(id string, at, tokens int64, status string) string {
	return fmt.Sprintf(`{"event_type":"RequestCompleted","request_id":%q,"tenant_id":"other","model":"other","ts":%d,"payload":{"completion_tokens":%d,"latency_ms":9,"status":%q}}`,
		id, t0+at, tokens, status)
}

func expect(t *testing.T, log []Message, stage int) *Invoice {
	t.Helper()
	v, err := Expect(log, Options{Stage: stage, Bound: 5000})
	require.NoError(t, err)
	return v
}

// TestInvoiceByHand is a log with every anomaly but lag, and its bill worked out on paper.
//
//	r-1 acme   model-a   10 in   2 out, minute 0: 10·2500 + 2·10000 =  45000
//	r-2 acme   model-b  100 in  10 out, minute 1: 100·500 + 10·1500 =  65000  (error status: billed all the same)
//	r-3 globex model-b    4 in            never completed:   4·500  =   2000  (from stage 06, minute 5)
//	r-4                              2 out  never started
//	r-5 globex model-a    1 in   1 out  completed before started: 1·2500 = 2500 (from 06, minute 5)
//	r-6 globex model-a    2 in   3 out  took exactly 5 minutes: 2·2500 + 3·10000 = 35000 up to 05, 5000 from 06 (minute 5)
//	r-7 acme   model-z    unknown model
//	r-8 acme   model-z    unknown model, never completed
func TestInvoiceByHand(t *testing.T) {
	s := &script{}
	s.start("r-1", "acme", "model-a", 0, 10).start("r-1", "acme", "model-a", 0, 10) // a duplicate
	s.start("r-2", "acme", "model-b", 1, 100)
	s.message(0, "r-2", `{"event_type":"RequestCompleted"`) // malformed, on a live key
	s.start("r-3", "globex", "model-b", 2, 4)
	s.end("r-4", 3, 2, "ok").end("r-4", 3, 2, "ok") // a duplicate of an unmatched one
	s.end("r-5", 6, 1, "ok").start("r-5", "globex", "model-a", 5, 1)
	s.end("r-5", 6, 1, "ok") // a duplicate, though it follows the start
	s.start("r-6", "globex", "model-a", 10, 2)
	s.start("r-7", "acme", "model-z", 11, 1).end("r-7", 12, 1, "ok")
	s.start("r-8", "acme", "model-z", 13, 1)
	s.end("r-1", 59_999, 2, "ok") // the last millisecond of minute 0
	s.end("r-2", 60_000, 10, "timeout")
	s.start("r-1", "globex", "model-b", 61_000, 99) // same id and type, other bytes: a duplicate too
	s.end("r-6", 300_010, 3, "ok")

	common := Counts{Requests: 8, Events: 18, Malformed: 1, Duplicates: 4}
	counts := func(c Counts) Counts {
		c.Requests, c.Events, c.Malformed, c.Duplicates = common.Requests, common.Events, common.Malformed, common.Duplicates
		return c
	}

	v := expect(t, s.log, 3)
	require.Equal(t, counts(Counts{Records: 4, Unmatched: 2, Unpriced: 1, OpenEntries: 3, Tenants: 2, USDNano: 145000}), v.Counts)
	require.Equal(t, []string{"r-3", "r-5", "r-8"}, v.Open)
	require.Equal(t, []Tenant{{"acme", 2, 110000}, {"globex", 1, 35000}}, v.Tenants)
	require.Nil(t, v.Windows)
	require.Equal(t, []Record{{"r-7", "acme", "model-z", t0 + 11, t0 + 12, 9, 1, 1, "ok"}}, v.Unpriced)
	require.Len(t, v.DeadLetters, 1)
	require.Equal(t, int64(3), v.DeadLetters[0].Offset)
	require.Equal(t, []string{"JSON"}, v.DeadLetters[0].Faults())
	require.Equal(t, "gateway-events", v.DeadLetters[0].Topic)

	for _, stage := range []int{4, 5} {
		v := expect(t, s.log, stage)
		require.Equal(t, counts(Counts{Records: 4, Unmatched: 2, Unpriced: 1, OpenEntries: 3, Tenants: 2, USDNano: 145000}), v.Counts)
		require.Equal(t, []Window{
			{"acme", t0, t0 + 60_000, 1, 45000},
			{"acme", t0 + 60_000, t0 + 120_000, 1, 65000},
			{"globex", t0 + 300_000, t0 + 360_000, 1, 35000},
		}, v.Windows)
	}

	for _, stage := range []int{6, 7} {
		v := expect(t, s.log, stage)
		require.Equal(t, counts(Counts{Records: 7, Abandoned: 4, Unmatched: 3, Unpriced: 2, Tenants: 2, USDNano: 119500}), v.Counts)
		require.Empty(t, v.Open)
		require.Equal(t, []Window{
			{"acme", t0, t0 + 60_000, 1, 45000},
			{"acme", t0 + 60_000, t0 + 120_000, 1, 65000},
			{"globex", t0 + 300_000, t0 + 360_000, 3, 9500}, // r-3, r-5, r-6: 2000 + 2500 + 5000
		}, v.Windows)
		require.Contains(t, v.Records, Record{"r-6", "globex", "model-a", t0 + 10, t0 + 300_010, 300_000, 2, 0, "abandoned"})
	}
}

// TestFiveMinutesExactly: one ms less than five minutes is a completion, five minutes is not.
func TestFiveMinutesExactly(t *testing.T) {
	s := (&script{}).start("r-1", "acme", "model-b", 0, 1).end("r-1", 299_999, 1, "ok")
	s.start("r-2", "acme", "model-b", 0, 1).end("r-2", 300_000, 1, "ok")
	v := expect(t, s.log, 6)
	require.Equal(t, int64(1), v.Counts.Abandoned)
	require.Equal(t, "ok", v.Records[0].Status)
	require.Equal(t, "abandoned", v.Records[1].Status)
	require.Equal(t, int64(2), expect(t, s.log, 5).Counts.Records)
}

// TestLateness: at r-2's completion the greatest ts is t0+65000, so the watermark is at most
// t0+65000-5000-1 = t0+59999. The window's last moment is t0+59999: it may have fired.
func TestLateness(t *testing.T) {
	log := func(greatest int64) []Message {
		s := (&script{}).start("r-1", "acme", "model-b", 0, 1).start("r-2", "acme", "model-b", 0, 2)
		s.end("r-1", 10, 0, "ok") // 500, surely in minute 0
		s.start("r-3", "acme", "model-b", greatest, 1)
		s.end("r-2", 20, 0, "ok") // 1000, in minute 0 too
		return s.log
	}
	require.Zero(t, expect(t, log(64_999), 4).MayBeLate, "one ms earlier it cannot have")
	v := expect(t, log(65_000), 4)
	require.Equal(t, int64(1), v.MayBeLate)
	require.Equal(t, int64(64_980), v.MaxLag)
	require.Equal(t, []Window{{"acme", t0, t0 + 60_000, 2, 1500}}, v.Windows)
	require.Equal(t, int64(1500), v.Counts.USDNano, "late or not, it is billed")

	late := v.Bills[1].Record
	both, first := v.Windows[0], Window{"acme", t0, t0 + 60_000, 1, 500}
	require.Empty(t, v.CheckWindows([]Window{both}, nil))
	require.Empty(t, v.CheckWindows([]Window{first, both}, nil), "a correction replaces the first bill")
	require.Empty(t, v.CheckWindows([]Window{first}, []Record{late}))
	require.NotEmpty(t, v.CheckWindows([]Window{first}, nil), "never billed")
	require.NotEmpty(t, v.CheckWindows([]Window{both}, []Record{late}), "billed twice")
	require.NotEmpty(t, v.CheckWindows([]Window{first}, []Record{late, late}), "late twice")
	require.NotEmpty(t, v.CheckWindows([]Window{{"acme", t0, t0 + 60_000, 1, 1000}}, []Record{v.Bills[0].Record}), "r-1 was surely on time")
	require.Empty(t, v.CheckCounts(withLate(v.Counts, 1)))
	require.Equal(t, "late: engine has 2, oracle has 0 to 1", v.CheckCounts(withLate(v.Counts, 2))[0].String())

	// An allowed lateness of one ms keeps the window's state just long enough: surely in, maybe in a
	// second firing.
	v, err := Expect(log(65_000), Options{Stage: 4, Bound: 5000, Lateness: 1})
	require.NoError(t, err)
	require.Zero(t, v.MayBeLate)
	require.Empty(t, v.CheckWindows([]Window{first, both}, nil))
	require.NotEmpty(t, v.CheckWindows([]Window{first}, []Record{late}))
}

func withLate(c Counts, n int64) Counts {
	c.Late = n
	return c
}

// TestLatenessIsPerPartition: another partition's events do not make a record late, as a watermark is
// the least over partitions.
func TestLatenessIsPerPartition(t *testing.T) {
	s := (&script{}).start("r-1", "acme", "model-b", 0, 1)
	s.message(1, "r-2", startJSON("r-2", "acme", "model-b", 600_000, 1))
	s.end("r-1", 10, 0, "ok")
	require.Zero(t, expect(t, s.log, 4).MayBeLate)
}

// TestResumedPartition: after idleness the watermark may be anywhere.
func TestResumedPartition(t *testing.T) {
	s := (&script{}).start("r-1", "acme", "model-b", 0, 1).end("r-1", 10, 0, "ok")
	v, err := Expect(s.log, Options{Stage: 5, Resumed: map[int32]int64{0: 1}})
	require.NoError(t, err)
	require.Equal(t, int64(1), v.MayBeLate)
	v, err = Expect(s.log, Options{Stage: 5, Resumed: map[int32]int64{0: 2, 1: 0}})
	require.NoError(t, err)
	require.Zero(t, v.MayBeLate)
}

// TestAbandonedIsNeverLate: the timer that makes the record fires with the watermark that would close
// the window.
func TestAbandonedIsNeverLate(t *testing.T) {
	s := (&script{}).start("r-2", "acme", "model-b", 900_000, 1)
	s.start("r-1", "acme", "model-b", 0, 1).end("r-1", 300_000, 1, "ok")
	v := expect(t, s.log, 6)
	require.Zero(t, v.MayBeLate)
	require.Equal(t, int64(2), v.Counts.Abandoned)
}

func TestLogsThatCannotBeJudged(t *testing.T) {
	s := (&script{}).start("r-1", "acme", "model-b", 0, 1)
	s.message(1, "r-1", endJSON("r-1", 1, 1, "ok"))
	_, err := Expect(s.log, Options{Stage: 3})
	require.ErrorContains(t, err, `request "r-1" is in partitions 0 and 1`)

	s = (&script{}).start("r-1", "acme", "model-b", 0, 1).end("r-1", 1, 1, "ok")
	_, err = Expect([]Message{s.log[1], s.log[0]}, Options{Stage: 3})
	require.ErrorContains(t, err, "offset 0 of partition 0 comes after offset 1")
	_, err = Expect([]Message{s.log[0], s.log[0]}, Options{Stage: 3})
	require.ErrorContains(t, err, "offset 0 of partition 0 comes after offset 0")

	_, err = Expect(nil, Options{Stage: 8})
	require.ErrorContains(t, err, "stage 8")

	empty, err := Expect(nil, Options{Stage: 3})
	require.NoError(t, err)
	require.Zero(t, empty.Counts)
}

// TestExpectIsGivenUp: stop is asked on the way, not only at the start.
func TestExpectIsGivenUp(t *testing.T) {
	log := make([]Message, 5000)
	for i := range log {
		log[i].Offset = int64(i)
	}
	enough, asked := errors.New("enough"), 0
	stop := func() error {
		if asked++; asked == 3 {
			return enough
		}
		return nil
	}
	_, err := ExpectUntil(stop, log, Options{Stage: 3})
	require.ErrorIs(t, err, enough)
	require.Equal(t, 3, asked)
}
