package serialised

import "gatewaymeter/stream"

// valueCell is one row a key.
type valueCell struct {
	*table
	scratch any // the *T that Get and Put give; never what is stored
}

// Get decodes the value anew each time.
func (c *valueCell) Get() any {
	src := c.b.store.get(c.at())
	if src == nil {
		return nil
	}
	must(c.decode(src, c.scratch))
	return c.scratch
}

// Put gives the place; Settle takes what was written there.
func (c *valueCell) Put() any {
	c.at() // settles what another cell was given before, and checks the key
	c.b.pending = c
	return c.scratch
}

// Settle stores the place's bytes.
func (c *valueCell) Settle() {
	c.b.pending = nil
	c.keys += c.store(c.at(), c.scratch)
}

// Clear removes the value.
func (c *valueCell) Clear() { c.keys -= c.remove(c.at()) }

// store encodes v into a row, and gives 1 if the row is new.
func (t *table) store(key []byte, v any) (added int) {
	r := t.b.store.row(key)
	if !r.present {
		added = 1
	}
	r.value = t.d.Codec.Append(r.value[:0], v)
	t.b.store.set(r, true)
	return added
}

// remove deletes a row, and gives 1 if there was one.
func (t *table) remove(key []byte) (removed int) {
	if t.b.store.remove(key) {
		return 1
	}
	return 0
}

// decode reads an element's bytes.
func (t *table) decode(src []byte, into any) error {
	if err := t.d.Codec.Decode(src, into); err != nil {
		return &stream.StateError{State: t.d.Name, Reason: "what is stored is no " + t.d.Type, Err: err}
	}
	return nil
}

// foldCell is one row a key: the reduced value, or the accumulator.
type foldCell struct {
	*table
	scratch any
}

// Get decodes the value or accumulator.
func (c *foldCell) Get() any {
	src := c.b.store.get(c.at())
	if src == nil {
		return nil
	}
	must(c.decode(src, c.scratch))
	return c.scratch
}

// Add reads, folds and writes. nil clears, as on the heap.
func (c *foldCell) Add(in any) {
	switch {
	case in == nil:
		c.Clear()
		return
	case c.Get() != nil:
		c.d.Fold.Add(c.scratch, in)
	case c.d.Fold.Create == nil:
		c.d.Fold.Set(c.scratch, in)
	default:
		c.d.Fold.Create(c.scratch)
		c.d.Fold.Add(c.scratch, in)
	}
	c.keys += c.store(c.at(), c.scratch)
}

// Clear removes the value.
func (c *foldCell) Clear() { c.keys -= c.remove(c.at()) }
