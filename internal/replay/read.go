package replay

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/internal/kit/timeline"
)

// ReadFile reads a recording. An error names the file, the line and what is wrong there.
func ReadFile(path string) (*Recording, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r, err := Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Parse reads the text of a recording.
func Parse(text string) (*Recording, error) {
	scenes, err := timeline.Parse(text)
	if err != nil {
		return nil, err
	}
	if len(scenes) != 1 {
		return nil, fmt.Errorf("it holds %d scenes, and a recording is one", len(scenes))
	}
	head := step{Step: scenes[0][0]}
	r := &Recording{Job: Job{
		Stage: int(head.number("stage")), Parallelism: int(head.number("parallelism")), Partitions: int(head.number("partitions")),
		Backend: head.text("backend"), Schedule: uint64(head.number("schedule")),
	}}
	zero := head.date("zero")
	head.err = cmp.Or(head.err, head.Unread())
	if head.err == nil {
		head.err = r.Job.Check()
	}
	if head.err != nil {
		return nil, fmt.Errorf("line %d: %w", head.Line, head.err)
	}
	for _, s := range scenes[0][1:] {
		if s.Verb == "bill" {
			r.Bills, r.billsAt = append(r.Bills, s.Text), append(r.billsAt, s.Line)
			continue
		}
		m, err := messageOf(&step{Step: s}, zero)
		if err == nil && s.Want != "" {
			err = fmt.Errorf("nothing is expected of a message: take -> %s away", s.Want)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", s.Line, err)
		}
		r.Messages = append(r.Messages, m)
	}
	return r, nil
}

// CheckBills says which bill of a recording that has been read is not what the oracle makes of its messages.
// Bills that are not there are not missed.
func (r *Recording) CheckBills() error {
	in, err := r.Job.Prepare(r.Messages)
	if err != nil {
		return err
	}
	right := map[string]string{} // by what stands before the arrow
	for _, line := range BillsOf(in.invoice) {
		bill, is := billOf(line)
		right[bill] = is
	}
	for i, line := range r.Bills {
		bill, says := billOf(line)
		is := cmp.Or(right[bill], "no such bill")
		if says != is {
			return fmt.Errorf("line %d: %s -> %s: of the messages the oracle makes %s: put that there, or take the bills out of the file, as they are worked out anew",
				r.billsAt[i], bill, says, is)
		}
	}
	return nil
}

// billOf is a line of a bill, in two: whose it is, and what it comes to.
func billOf(line string) (bill, says string) {
	bill, says, _ = strings.Cut(line, "->")
	return strings.Join(strings.Fields(bill), " "), strings.Join(strings.Fields(says), " ")
}

// messageOf is the message of a step.
func messageOf(s *step, zero int64) (generator.Message, error) {
	var m generator.Message
	switch s.Verb {
	case "message":
		m = generator.Message{Key: []byte(s.text("key")), Value: []byte(s.text("value")), TS: s.number("ts"), Partition: generator.NoPartition}
	case "started":
		e := s.event(gateway.RequestStarted, zero)
		e.PromptTokens = s.number("prompt")
		m = generator.NewMessage(e)
	case "completed":
		e := s.event(gateway.RequestCompleted, zero)
		e.CompletionTokens, e.LatencyMS, e.Status = s.number("completion"), s.span("latency"), s.text("status")
		m = generator.NewMessage(e)
	default:
		return m, fmt.Errorf("unknown verb %q: it is started, completed, message or bill", s.Verb)
	}
	return m, cmp.Or(s.err, s.Unread())
}

// step reads the arguments of a step, and remembers the first that is wrong.
type step struct {
	timeline.Step
	err error
}

func (s *step) event(kind gateway.EventType, zero int64) gateway.Event {
	return gateway.Event{Type: kind, RequestID: s.text("request"), TenantID: s.text("tenant"), Model: s.text("model"), TS: zero + s.span("t")}
}

func (s *step) text(name string) string {
	if !s.Has(name) {
		s.fault(name, fmt.Errorf("it is missing"))
		return ""
	}
	text, err := unword(s.Arg(name))
	s.fault(name, err)
	return text
}

func (s *step) number(name string) int64 {
	n, err := strconv.ParseInt(s.text(name), 10, 64)
	s.fault(name, err)
	return n
}

// span is a duration in ms.
func (s *step) span(name string) int64 {
	d, err := time.ParseDuration(s.text(name))
	s.fault(name, err)
	return d.Milliseconds()
}

// date is a date in ms since the epoch.
func (s *step) date(name string) int64 {
	at, err := time.Parse(time.RFC3339, s.text(name))
	s.fault(name, err)
	return at.UnixMilli()
}

func (s *step) fault(name string, err error) {
	if s.err == nil && err != nil {
		s.err = fmt.Errorf("argument %s: %w", name, err)
	}
}

// word writes any bytes as one word of a timeline: as they are, or quoted as in Go, with what a
// timeline would take for its own (spaces, the arrow) as escapes.
func word(s string) string {
	if s != "" && strings.IndexFunc(s, special) < 0 {
		return s
	}
	return strings.NewReplacer(" ", `\x20`, ">", `\x3e`).Replace(strconv.Quote(s))
}

func special(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"\\>#=", r) }

func unword(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return s, nil
	}
	return strconv.Unquote(s)
}
