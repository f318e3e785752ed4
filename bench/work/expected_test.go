package work

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExpectedIsWhatTheTextSays reads WORK.md's two tables: they are the truth, and rows the copy.
func TestExpectedIsWhatTheTextSays(t *testing.T) {
	text, err := os.ReadFile("../WORK.md")
	require.NoError(t, err)
	text = []byte(strings.ReplaceAll(string(text), ",", ""))
	var want []row
	for line := range strings.Lines(string(text)) {
		var r row
		var events, outA int64
		if n, _ := fmt.Sscanf(line, "| %d | %d | %d | %d | %d | %d | %s |",
			&r.requests, &r.abandoned, &events, &outA, &r.outB, &r.sumNano, &r.check); n == 7 {
			require.Equal(t, 2*r.requests-r.abandoned, events, line)
			require.Equal(t, r.requests, outA, line)
			want = append(want, r)
		}
	}
	line03 := 0
	for line := range strings.Lines(string(text)) {
		var requests, outA, open, sumA, seqA int64
		if _, err := fmt.Sscanf(line, "| %d | %d | %d | %d | %d |\n", &requests, &outA, &open, &sumA, &seqA); err == nil && line03 < len(want) {
			r := &want[line03]
			require.Equal(t, r.requests, requests, "stage 03's table has the same lines")
			require.Equal(t, r.abandoned, open, line)
			r.outA03, r.sumA03, r.seqA03 = outA, sumA, seqA
			line03++
		}
	}
	require.Len(t, want, line03)
	require.Equal(t, want, rows)
}

func TestVerifyNamesWhatIsWrong(t *testing.T) {
	right := Outcome{Stage: Stateful, Requests: 1000, Seed: DefaultSeed, Events: 1992, Open: 8,
		Sums: Sums{OutA: 992, SumA: 4547207500, SeqA: 25727}}
	require.NoError(t, right.Verify())
	for name, spoil := range map[string]func(*Outcome){
		"events":   func(o *Outcome) { o.Events-- },
		"outA":     func(o *Outcome) { o.Sums.OutA++ },
		"open":     func(o *Outcome) { o.Open = 0 },
		"sum_nano": func(o *Outcome) { o.Sums.SumA-- },
		"seq_a":    func(o *Outcome) { o.Sums.SeqA++ },
		"timers":   func(o *Outcome) { o.Timers = 1 },
	} {
		wrong := right
		spoil(&wrong)
		require.ErrorContains(t, wrong.Verify(), name+" is")
	}
}
