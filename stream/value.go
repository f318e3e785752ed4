package stream

import "slices"

// Value is Flink's ValueState: one T at the current key.
type Value[T any] struct {
	c        *Context
	cell     ValueCell
	settler  Settler // cell, if it keeps bytes
	name     string
	nullable bool
}

// NewValue declares a value state; call it in Open. It panics with a *StateError on a stream without
// keys, or if the name is taken by a state of another kind or type.
func NewValue[T any](c *Context, name string, codec Codec[T], options ...Option) Value[T] {
	cell := declare(c, describe(name, ValueState, codec, options))
	settler, _ := cell.(Settler)
	return Value[T]{c: c, cell: cell.(ValueCell), settler: settler, name: name, nullable: nullable[T]()}
}

// Get is the current key's value, and whether there is one. It is a copy of what the heap keeps, but
// shares what T points to: change it only together with Update.
func (s *Value[T]) Get() (v T, ok bool) {
	if p, ok := s.cell.Get().(*T); ok {
		return *p, true
	}
	return v, false
}

// Update stores v. A null v clears, as in Flink.
func (s *Value[T]) Update(v T) {
	if s.nullable && isNull(v) {
		s.Clear()
		return
	}
	*s.cell.Put().(*T) = v
	if s.settler != nil {
		s.settler.Settle()
	}
	if s.c.Trace != nil {
		s.c.trace(Step{Kind: StateSet, Name: s.name, Value: v})
	}
}

// Clear removes the current key's value, and no other key's.
func (s *Value[T]) Clear() { clearCell(s.c, s.cell, s.name) }

// declare asks the context's backend for a cell.
func declare(c *Context, d Descriptor) Cell {
	if c.Backend == nil {
		panic(&StateError{State: d.Name, Err: ErrNotKeyed})
	}
	cell, err := c.Backend.Cell(d)
	if err != nil {
		panic(&StateError{State: d.Name, Reason: err.Error()})
	}
	if !slices.Contains(c.States, d.Name) {
		c.States = append(c.States, d.Name)
		c.Infos = append(c.Infos, infoOf(d))
	}
	return cell
}

func clearCell(c *Context, cell Cell, name string) {
	cell.Clear()
	if c.Trace != nil {
		c.trace(Step{Kind: StateCleared, Name: name})
	}
}
