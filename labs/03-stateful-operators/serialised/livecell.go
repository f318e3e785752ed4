package serialised

import (
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// liveCell keeps objects, as the heap does: what a timer service stores holds positions in a queue, and
// no copy may have those. Each object has a row too, so that a snapshot is rows alone. The row is written
// at a snapshot, from what the object is by then, or when many have changed. An object that came and went
// in between costs nothing.
type liveCell struct {
	*table
	groups  []map[string]*liveObject // by group, counted from the first
	changes []liveChange             // the rows to write
	spare   []*liveObject
}

// liveObject is one key's object.
type liveObject struct {
	v      any
	stored bool // pebble has a row of it
	change int  // its place in changes, counted from 1; 0: none
}

// liveChange is a row to write: what the object is, or nothing if it is gone.
type liveChange struct {
	group  int
	key    string
	object *liveObject // nil: gone
}

func newLiveCell(t *table) *liveCell {
	c := &liveCell{table: t, groups: make([]map[string]*liveObject, t.b.last-t.b.first+1)}
	for i := range c.groups {
		c.groups[i] = map[string]*liveObject{}
	}
	return c
}

// objects is the map of the current key's group; no current key is a fault.
func (c *liveCell) objects() map[string]*liveObject {
	c.check()
	return c.groups[c.b.group-c.b.first]
}

// Get is the object itself.
func (c *liveCell) Get() any {
	if o, ok := c.objects()[c.b.key]; ok {
		return o.v
	}
	return nil
}

// Put is the object, made if there is none.
func (c *liveCell) Put() any {
	objects := c.objects()
	o, ok := objects[c.b.key]
	if !ok {
		o = c.newObject()
		objects[c.b.key] = o
		c.keys++
	}
	if o.change == 0 {
		c.changes = append(c.changes, liveChange{c.b.group, c.b.key, o})
		o.change = len(c.changes)
	}
	return o.v
}

func (c *liveCell) newObject() *liveObject {
	if n := len(c.spare); n > 0 {
		o := c.spare[n-1]
		c.spare = c.spare[:n-1]
		return o
	}
	return &liveObject{v: c.d.New()}
}

// Clear removes the object.
func (c *liveCell) Clear() {
	objects := c.objects()
	o, ok := objects[c.b.key]
	if !ok {
		return
	}
	delete(objects, c.b.key)
	c.keys--
	switch {
	case o.stored && o.change == 0:
		c.changes = append(c.changes, liveChange{c.b.group, c.b.key, nil})
	case o.stored:
		c.changes[o.change-1].object = nil
	case o.change != 0: // as if it had never been
		last := c.changes[len(c.changes)-1]
		c.changes[o.change-1] = last
		if last.object != nil {
			last.object.change = o.change
		}
		c.changes = c.changes[:len(c.changes)-1]
	}
	o.stored, o.change = false, 0
	c.spare = append(c.spare, o)
}

// write brings pebble up to date. What is gone goes first: the same key may have come back since, and its
// place in the list says nothing.
func (c *liveCell) write() error {
	batch := c.b.store.db.NewBatch()
	defer func() { _ = batch.Close() }()
	var row, value []byte
	for _, change := range c.changes {
		if change.object == nil {
			row = c.rowOf(row, change)
			if err := batch.Delete(row, nil); err != nil {
				return err
			}
		}
	}
	for _, change := range c.changes {
		if o := change.object; o != nil {
			row, value = c.rowOf(row, change), c.d.Codec.Append(value[:0], o.v)
			if err := batch.Set(row, value, nil); err != nil {
				return err
			}
			o.stored, o.change = true, 0
		}
	}
	clear(c.changes)
	c.changes = c.changes[:0]
	return batch.Commit(pebble.NoSync)
}

func (c *liveCell) rowOf(dst []byte, change liveChange) []byte {
	dst = appendKey(dst[:0], change.group, change.key)
	dst[2] = c.id
	return dst
}

// each walks a group's objects, keys ascending.
func (c *liveCell) each(group int, f func(key string, v any) error) error {
	objects := c.groups[group-c.b.first]
	keys := make([]string, 0, len(objects))
	for key := range objects {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		if err := f(key, objects[key].v); err != nil {
			return err
		}
	}
	return nil
}

// put is an object that a restore brings, whose row is written already.
func (c *liveCell) put(group int, key string) any {
	o := &liveObject{v: c.d.New(), stored: true}
	c.groups[group-c.b.first][key] = o
	return o.v
}

// fill makes the objects of some groups from the rows that a restore has brought.
func (c *liveCell) fill(first, last int) error {
	for group := first; group <= last && c.keys > 0; group++ {
		_, err := c.walk(group, nil, func(content content) (bool, error) {
			return true, c.decode(content.values[0], c.put(group, content.key))
		})
		if err != nil {
			return fmt.Errorf("state %q, key group %d: %w", c.d.Name, group, err)
		}
	}
	return nil
}
