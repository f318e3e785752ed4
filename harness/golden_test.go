package harness_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	timers "gatewaymeter/labs/06-timers/solution"
	"gatewaymeter/stream"
)

// TestGoldenTrace plays a script and compares every step of the trace: what the solutions do, in which
// order, and nothing else.
func TestGoldenTrace(t *testing.T) {
	open := func(opts ...harness.Option) *assembly {
		return harness.NewKeyed(t, parts(t), byRequest, timers.NewAssembler(timers.EventTimeRule()), append(opts, harness.WithTrace())...)
	}
	h, shown := open(), 0
	datadriven.RunTest(t, "testdata/assembler.txt", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "started":
			h.ProcessElement(started(arg(t, d, "id"), at(t, d)), at(t, d))
		case "completed":
			h.ProcessElement(completed(arg(t, d, "id"), at(t, d)), at(t, d))
		case "watermark":
			h.ProcessWatermark(at(t, d))
		case "restore":
			snapshot := h.Snapshot()
			h.Close()
			h, shown = open(harness.From(snapshot)), 0
		default:
			d.Fatalf(t, "unknown verb %q", d.Cmd)
		}
		var lines []string
		for _, s := range h.Trace()[shown:] {
			lines = append(lines, s.String())
		}
		shown += len(lines)
		return strings.Join(lines, "\n")
	})
}

type assembly = harness.Keyed[gateway.Event, gateway.RequestRecord]

func arg(t *testing.T, d *datadriven.TestData, name string) (value string) {
	t.Helper()
	d.ScanArgs(t, name, &value)
	return value
}

func at(t *testing.T, d *datadriven.TestData) stream.Time {
	t.Helper()
	span, err := time.ParseDuration(arg(t, d, "t"))
	require.NoError(t, err, "%s", d.Pos)
	return stream.Time(span.Milliseconds())
}

func started(id string, ts stream.Time) gateway.Event {
	return gateway.Event{Type: gateway.RequestStarted, RequestID: id, TenantID: "acme", Model: "model-a", TS: int64(ts), PromptTokens: 100}
}

func completed(id string, ts stream.Time) gateway.Event {
	return gateway.Event{Type: gateway.RequestCompleted, RequestID: id, TenantID: "acme", Model: "model-a", TS: int64(ts), CompletionTokens: 7, Status: "ok"}
}

func byRequest(e gateway.Event) string { return e.RequestID }
