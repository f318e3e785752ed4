package harness

import (
	"gatewaymeter/engine"
	"gatewaymeter/stream"
)

// Keyed drives a KeyedFunction.
type Keyed[In, Out any] struct {
	core[Out]
	keyOf func(In) string
}

// NewKeyed opens a keyed function. keyOf gives an element's key; parts bring the backend, the key
// groups and, where the function needs them, timers and operator state.
func NewKeyed[In, Out any](t T, parts engine.Parts, keyOf func(In) string, fn stream.KeyedFunction[In, Out], opts ...Option) *Keyed[In, Out] {
	t.Helper()
	h := &Keyed[In, Out]{keyOf: keyOf}
	h.configure(t, parts, opts)
	h.opened(engine.NewKeyedUnit(h.cfg.UnitConfig, keyOf, fn, h.collect))
	return h
}

// ProcessElement hands in one element.
func (h *Keyed[In, Out]) ProcessElement(v In, at stream.Time) {
	h.t.Helper()
	h.ProcessElementOn(0, v, at)
}

// ProcessElementOn hands in one element on one of several inputs.
func (h *Keyed[In, Out]) ProcessElementOn(input int, v In, at stream.Time) {
	h.t.Helper()
	if h.ready() {
		h.check(engine.ElementOn(h.unit, input, v, at, h.keyOf))
	}
}

// Function drives a Function, which has no keys.
type Function[In, Out any] struct{ core[Out] }

// NewFunction opens a function.
func NewFunction[In, Out any](t T, parts engine.Parts, fn stream.Function[In, Out], opts ...Option) *Function[In, Out] {
	t.Helper()
	h := &Function[In, Out]{}
	h.configure(t, parts, opts)
	h.opened(engine.NewFunctionUnit(h.cfg.UnitConfig, fn, h.collect))
	return h
}

// ProcessElement hands in one element.
func (h *Function[In, Out]) ProcessElement(v In, at stream.Time) {
	h.t.Helper()
	if h.ready() {
		h.check(engine.Element(h.unit, v, at, nil))
	}
}

// Broadcast drives a BroadcastFunction.
type Broadcast[In, B, Out any] struct {
	core[Out]
	keyOf func(In) string
}

// NewBroadcast opens a function beside a broadcast stream.
func NewBroadcast[In, B, Out any](t T, parts engine.Parts, keyOf func(In) string, fn stream.BroadcastFunction[In, B, Out], opts ...Option) *Broadcast[In, B, Out] {
	t.Helper()
	h := &Broadcast[In, B, Out]{keyOf: keyOf}
	h.configure(t, parts, opts)
	h.opened(engine.NewBroadcastUnit(h.cfg.UnitConfig, keyOf, fn, h.collect))
	return h
}

// ProcessElement hands in one element of the keyed stream.
func (h *Broadcast[In, B, Out]) ProcessElement(v In, at stream.Time) {
	h.t.Helper()
	if h.ready() {
		h.check(engine.Element(h.unit, v, at, h.keyOf))
	}
}

// ProcessBroadcast hands in one element of the broadcast stream.
func (h *Broadcast[In, B, Out]) ProcessBroadcast(v B, at stream.Time) {
	h.t.Helper()
	if h.ready() {
		h.check(engine.BroadcastElement(h.unit, v, at))
	}
}

// Source drives a source: nothing is read but by Poll.
type Source[E any] struct{ core[E] }

// NewSource opens a source.
func NewSource[E any](t T, parts engine.Parts, src stream.Source[E], opts ...Option) *Source[E] {
	t.Helper()
	h := &Source[E]{}
	h.configure(t, parts, opts)
	h.opened(engine.NewSourceUnit(h.cfg.UnitConfig, src, h.collect))
	return h
}

// Poll lets the source emit up to max elements, and its watermark if it is time for one.
func (h *Source[E]) Poll(max int) stream.Progress {
	h.t.Helper()
	if !h.ready() {
		return stream.Ended
	}
	p, err := h.unit.Poll(max)
	h.check(err)
	return p
}
