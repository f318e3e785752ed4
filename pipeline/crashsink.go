package pipeline

import "gatewaymeter/stream"

// buffered makes sinks that keep what is written until they are flushed, or until enough has gathered,
// as a Kafka producer does. What stands in a buffer dies with the worker.
func buffered(to Sinks) Sinks {
	return Sinks{
		Totals: bufferTo(to.Totals), Invoice: bufferTo(to.Invoice), DeadLetters: bufferTo(to.DeadLetters),
		Unpriced: bufferTo(to.Unpriced), Late: bufferTo(to.Late), Alerts: bufferTo(to.Alerts),
	}
}

func bufferTo[T any](to func() stream.Sink[T]) func() stream.Sink[T] {
	return func() stream.Sink[T] { return &bufferedSink[T]{to: to()} }
}

// enough is how many lines a buffer holds at most.
const enough = 8

type bufferedSink[T any] struct {
	to    stream.Sink[T]
	c     *stream.Context
	lines []T
}

func (s *bufferedSink[T]) Open(c *stream.Context) error {
	s.c = c
	return s.to.Open(c)
}

func (s *bufferedSink[T]) Write(_ *stream.Context, v T) error {
	s.lines = append(s.lines, v)
	if len(s.lines) < enough {
		return nil
	}
	return s.flush()
}

// Flush lets everything go that has been written so far.
func (s *bufferedSink[T]) Flush() stream.Work { return s.flush }

func (s *bufferedSink[T]) flush() error {
	for _, v := range s.lines {
		if err := s.to.Write(s.c, v); err != nil {
			return err
		}
	}
	s.lines = s.lines[:0]
	return nil
}
