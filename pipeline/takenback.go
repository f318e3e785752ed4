package pipeline

import (
	"encoding/json"

	"gatewaymeter/gateway"
	"gatewaymeter/stream"
)

// takenBack is a sink whose lines belong to the job's checkpoints: what was written after the last
// complete one is taken back when the job goes back to it. It stands for what a consumer sees that reads
// committed transactions only (lab 08), and makes the effect of a restore on state visible alone.
//
// Its lines are union state, and subtask 0 takes those of all former subtasks: so they stay in the
// order in which each key's were written, whatever the parallelism.
type takenBack[T any] struct {
	stream.Sink[T]
	lines stream.List[T]
	own   []T
}

func (s *takenBack[T]) Open(c *stream.Context) error {
	s.lines = stream.NewOperatorList(c, "lines", jsonLine[T]{}, stream.Union)
	if c.Subtask > 0 {
		return s.Sink.Open(c)
	}
	for line := range s.lines.All() {
		if err := s.Write(c, line); err != nil {
			return err
		}
	}
	return s.Sink.Open(c)
}

func (s *takenBack[T]) Write(c *stream.Context, v T) error {
	s.own = append(s.own, v)
	return s.Sink.Write(c, v)
}

// Snapshot implements stream.Snapshotter.
func (s *takenBack[T]) Snapshot(*stream.Context) error {
	s.lines.Update(s.own)
	return nil
}

// jsonLine is a line as topics hold it.
type jsonLine[T any] struct{}

func (jsonLine[T]) Append(dst []byte, v T) []byte {
	line, err := json.Marshal(v)
	if err != nil {
		panic(err) // lines are structs of numbers and text
	}
	return append(dst, line...)
}

func (jsonLine[T]) Decode(src []byte) (v T, err error) {
	err = json.Unmarshal(src, &v)
	return v, err
}

// takeBack makes the bill's sinks part of the checkpoints.
func (s Sinks) takeBack() Sinks {
	invoice, late := s.Invoice, s.Late
	s.Invoice = func() stream.Sink[gateway.TenantWindow] { return &takenBack[gateway.TenantWindow]{Sink: invoice()} }
	s.Late = func() stream.Sink[gateway.RequestRecord] { return &takenBack[gateway.RequestRecord]{Sink: late()} }
	return s
}
