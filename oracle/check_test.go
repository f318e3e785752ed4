package oracle

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// smallInvoice has two bills of acme (500 and 1000), one of globex (1500), and one malformed message.
func smallInvoice(t *testing.T, stage int, repeats bool) *Invoice {
	t.Helper()
	s := &script{}
	for i, tenant := range []string{"acme", "acme", "globex"} {
		id := fmt.Sprintf("r-%d", i+1)
		s.start(id, tenant, "model-b", 0, int64(i+1)).end(id, 10, 0, "ok")
	}
	s.message(0, "x", "ping")
	v, err := Expect(s.log, Options{Stage: stage, Bound: 5000, Repeats: repeats})
	require.NoError(t, err)
	return v
}

func rightTotals() []Total {
	return []Total{
		{"globex", "r-3", 1, 1500, 1500},
		{"acme", "r-2", 1, 1000, 1000}, // which of acme's requests comes first is not determined
		{"acme", "r-1", 2, 500, 1500},
	}
}

func TestCheckTotals(t *testing.T) {
	v := smallInvoice(t, 3, false)
	require.Empty(t, v.CheckTotals(rightTotals()))
	other := rightTotals()
	other[1], other[2] = Total{"acme", "r-1", 1, 500, 500}, Total{"acme", "r-2", 2, 1000, 1500}
	require.Empty(t, v.CheckTotals(other))

	for _, row := range []struct {
		name  string
		spoil func([]Total) []Total
		first string
	}{
		{"nothing at all", func([]Total) []Total { return nil }, "bill of acme: engine has nothing, oracle has 2 requests, $0.000001500"},
		{"never billed", func(l []Total) []Total { return l[:2] }, "bill of acme: engine has 1 requests, $0.000001000, oracle has 2 requests, $0.000001500"},
		{"billed twice", func(l []Total) []Total { return append(l, Total{"acme", "r-1", 3, 500, 2000}) },
			"bill of acme: engine has 3 requests, $0.000002000, oracle has 2 requests, $0.000001500"},
		{"a line twice", func(l []Total) []Total { return append(l, l[2]) },
			"tenant-totals acme r-1: engine has $0.000000500 (2 times), oracle has $0.000000500"},
		{"a wrong cost", func(l []Total) []Total { l[1].Cost, l[2].Cost = 900, 600; return l },
			"tenant-totals acme r-1: engine has $0.000000600, oracle has $0.000000500"},
		{"a wrong total on the way", func(l []Total) []Total { l[1].Total = 999; return l },
			"tenant-totals acme line 1 (r-2): engine has total $0.000000999, oracle has $0.000000000 + $0.000001000 = $0.000001000"},
		{"a seq left out", func(l []Total) []Total { l[1].Seq = 0; return l },
			"tenant-totals acme line 1 (r-2): engine has seq 0, oracle has seq 1"},
		{"an unknown tenant", func(l []Total) []Total { return append(l, Total{"x", "r-9", 1, 1, 1}) },
			"bill of x: engine has 1 requests, $0.000000001, oracle has nothing"},
		{"another tenant's request", func(l []Total) []Total { l[0].RequestID = "r-1"; return l },
			"tenant-totals globex r-3: engine has nothing, oracle has $0.000001500"},
	} {
		t.Run(row.name, func(t *testing.T) {
			ds := v.CheckTotals(row.spoil(rightTotals()))
			require.NotEmpty(t, ds)
			require.Equal(t, row.first, ds[0].String())
		})
	}
}

func TestCheckTotalsAfterRestore(t *testing.T) {
	v := smallInvoice(t, 3, true)
	lines := append(rightTotals(), Total{"acme", "r-1", 1, 500, 500}, Total{"acme", "r-2", 2, 1000, 1500})
	require.Empty(t, v.CheckTotals(lines), "the same requests again, in another order")
	require.NotEmpty(t, v.CheckTotals(append(lines, Total{"acme", "r-2", 3, 1000, 2500})), "state counted one twice")
	require.NotEmpty(t, v.CheckTotals(append(lines, Total{"acme", "r-2", 2, 999, 1500})), "a repeat that differs")
}

func TestCheckWindows(t *testing.T) {
	v := smallInvoice(t, 4, false)
	right := v.Windows
	require.Len(t, right, 2)
	require.Empty(t, v.CheckWindows(right, nil))
	require.Empty(t, v.CheckWindows([]Window{right[1], right[0]}, nil))

	double := append(slices.Clone(right), right[0])
	require.Equal(t, "invoice 2023-11-14T22:14:00Z acme: engine has 2 requests, $0.000001500 (2 times), oracle has 2 requests, $0.000001500",
		v.CheckWindows(double, nil)[0].String())
	require.Empty(t, smallInvoice(t, 7, true).CheckWindows(
		append(slices.Clone(smallInvoice(t, 7, true).Windows), smallInvoice(t, 7, true).Windows[0]), nil), "after a restore it may come again")

	wrong := slices.Clone(right)
	wrong[0].End += 60_000
	require.Len(t, v.CheckWindows(wrong, nil), 1)
	wrong = slices.Clone(right)
	wrong[1].Start += 60_000
	wrong[1].End += 60_000
	require.Len(t, v.CheckWindows(wrong, nil), 2, "one missing, one too many")
	require.Len(t, v.CheckWindows(right, []Record{{RequestID: "r-1"}}), 1, "not late")

	// A first firing without all bills is wrong where none can be late, even if it is mended later.
	early := append([]Window{{"acme", right[0].Start, right[0].End, 1, 500}}, right...)
	require.Len(t, v.CheckWindows(early, nil), 1)
}

func TestCheckDeadLetters(t *testing.T) {
	v := smallInvoice(t, 3, false)
	right := DeadLetter{Raw: []byte("ping"), Reason: "value is not JSON", Topic: "gateway-events", Partition: 0, Offset: 6}
	require.Empty(t, v.CheckDeadLetters([]DeadLetter{right}))
	for _, spoil := range []func(*DeadLetter){
		func(d *DeadLetter) { d.Raw = []byte("pong") },
		func(d *DeadLetter) { d.Reason = "bad" },
		func(d *DeadLetter) { d.Topic = "x" },
		func(d *DeadLetter) { d.Partition = 1 },
		func(d *DeadLetter) { d.Offset = 5 },
	} {
		d := right
		spoil(&d)
		require.NotEmpty(t, v.CheckDeadLetters([]DeadLetter{d}), "%+v", d)
	}
	require.Len(t, v.CheckDeadLetters(nil), 1)
	require.Len(t, v.CheckDeadLetters([]DeadLetter{right, right}), 1)
	require.Empty(t, smallInvoice(t, 7, true).CheckDeadLetters([]DeadLetter{right, right}))
}

func TestCheckOpenRecordsAndCounts(t *testing.T) {
	s := (&script{}).start("r-1", "acme", "model-b", 0, 1).start("r-2", "acme", "model-z", 0, 1).end("r-2", 1, 1, "ok")
	v := expect(t, s.log, 3)
	require.Empty(t, v.CheckOpen([]string{"r-1"}))
	require.Len(t, v.CheckOpen([]string{"r-2"}), 2)
	require.Len(t, v.CheckOpen([]string{"r-1", "r-1"}), 1)
	require.Empty(t, v.CheckRecords(v.Records))
	require.Len(t, v.CheckUnpriced(nil), 1)
	require.Empty(t, v.CheckUnpriced(v.Records))
	wrong := slices.Clone(v.Records)
	wrong[0].LatencyMS++
	require.Len(t, v.CheckRecords(wrong), 1)

	require.Empty(t, v.CheckCounts(v.Counts))
	c := v.Counts
	c.OpenEntries, c.USDNano = 2, 7
	require.Equal(t, []Difference{{"open_entries", "2", "1"}, {"usd_nano", "7", "0"}}, v.CheckCounts(c))
}

func TestTableIsBounded(t *testing.T) {
	require.Empty(t, Table(nil, 3))
	var ds []Difference
	for i := range 5 {
		ds = append(ds, Difference{fmt.Sprintf("line %d", i), "1", strings.Repeat("x", i)})
	}
	require.Equal(t, "where    engine   oracle\nline 0   1        \nline 1   1        x\nand 3 more\n", Table(ds, 2))
	long := compare("t", []line{{"a", strings.Repeat("y", 5000)}}, nil, false)
	require.Less(t, len(long[0].String()), 400)
}
