package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/internal/kit/timeline"
	"gatewaymeter/oracle"
	"gatewaymeter/stream"
)

// Recording is a job and its messages, as a timeline keeps them:
//
//	# from: the oracle
//	# found: bill of tenant-0001: engine has nothing, oracle has 1 requests, $0.002000000
//
//	new scene=reduced stage=03 parallelism=1 partitions=1 backend=heap schedule=9 zero=2023-11-14T22:14:00Z
//	started request=r-4 tenant=tenant-0001 model=model-b t=1.5s prompt=1000
//	completed request=r-4 tenant=tenant-0001 model=model-b t=3s completion=1000 latency=1.5s status=ok
//	message ts=1700000043000 key=r-4 value="ping"
//	bill tenant=tenant-0001 -> 1 requests, $0.002000000
//
// Times count from zero, the start of a minute. A message that is no event of the generator's stands as
// its bytes. The bills are what the oracle makes of the messages: for the reader, since they are worked
// out anew when the recording is played; see CheckBills.
type Recording struct {
	Job      Job
	Messages []generator.Message
	Notes    []string // shown at the top
	Bills    []string // see BillsOf

	billsAt []int // their lines in the file, if it was read from one
}

// Text is the recording as a timeline.
func (r *Recording) Text() string {
	var b strings.Builder
	b.WriteString("# from: the oracle, for the messages below\n")
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "# %s\n", n)
	}
	zero := zeroOf(r.Messages)
	j := r.Job
	fmt.Fprintf(&b, "\nnew scene=reduced stage=%02d parallelism=%d partitions=%d backend=%s schedule=%d zero=%s\n",
		j.Stage, j.Parallelism, j.Partitions, j.Backend, j.Schedule, time.UnixMilli(zero).UTC().Format(time.RFC3339))
	for _, m := range r.Messages {
		fmt.Fprintln(&b, lineOf(m, zero))
	}
	for _, bill := range r.Bills {
		fmt.Fprintln(&b, bill)
	}
	return b.String()
}

// BillsOf are the lines of the right bill, as a recording shows them.
func BillsOf(v *oracle.Invoice) (lines []string) {
	if v.Options.Stage == 3 {
		for _, t := range v.Tenants {
			lines = append(lines, fmt.Sprintf("bill tenant=%s -> %d requests, %v", word(t.TenantID), t.Requests, gateway.NanoUSD(t.Total)))
		}
	}
	for _, w := range v.Windows {
		lines = append(lines, fmt.Sprintf("bill tenant=%s minute=%s -> %d requests, %v", word(w.TenantID),
			time.UnixMilli(w.Start).UTC().Format("15:04"), w.Requests, gateway.NanoUSD(w.Sum)))
	}
	if len(lines) == 0 {
		lines = []string{"bill tenant=any -> nothing"}
	}
	return lines
}

// zeroOf is the minute in which the first event happened.
func zeroOf(messages []generator.Message) int64 {
	if len(messages) == 0 {
		return 0
	}
	first := slices.MinFunc(messages, func(a, b generator.Message) int { return cmp.Compare(a.TS, b.TS) })
	return first.TS - first.TS%60_000
}

// farthest is how far from zero, in ms, a time is written as a duration.
const farthest = int64(100 * 365 * 24 * 3_600_000)

// lineOf is a message as a step: readable if that loses nothing, else its bytes.
func lineOf(m generator.Message, zero int64) string {
	e, ok := generator.EventOf(m)
	if !ok || m.TS != e.TS || e.TS-zero > farthest || e.LatencyMS > farthest {
		return fmt.Sprintf("message ts=%d key=%s value=%s", m.TS, word(string(m.Key)), word(string(m.Value)))
	}
	who := fmt.Sprintf("request=%s tenant=%s model=%s t=%s", word(e.RequestID), word(e.TenantID), word(e.Model), clock(e.TS-zero))
	if e.Type == gateway.RequestStarted {
		return fmt.Sprintf("started   %s prompt=%d", who, e.PromptTokens)
	}
	return fmt.Sprintf("completed %s completion=%d latency=%s status=%s", who, e.CompletionTokens, clock(e.LatencyMS), word(e.Status))
}

func clock(ms int64) string { return timeline.Clock(stream.Time(ms)) }
