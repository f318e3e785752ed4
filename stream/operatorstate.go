package stream

import "iter"

// OperatorStore keeps the state of one subtask that belongs to no key: lists, and broadcast maps. It
// always is on the heap (Flink: OperatorStateBackend). Lab 03 implements it.
type OperatorStore interface {
	// List declares an operator list state. The cell keeps the pointers that it is given.
	List(d Descriptor, mode Redistribution) (ListCell, error)
	// Broadcast declares a broadcast map state.
	Broadcast(d Descriptor) (MapCell, error)
	// Snapshot is every state's elements, by ascending name.
	Snapshot() ([]OperatorList, error)
	// Restore takes what redistribution gave this subtask; called before any state is declared.
	Restore(lists []OperatorList) error
}

// Redistribution says how an operator list is dealt out when a job restarts.
type Redistribution uint8

// Flink's three modes.
const (
	EvenSplit  Redistribution = iota + 1 // each element to one subtask, in equal shares
	Union                                // every element to every subtask
	Broadcasts                           // broadcast state: each subtask takes one old subtask's copy
)

func (r Redistribution) String() string {
	return [...]string{"unknown", "split", "union", "broadcast"}[r]
}

// OperatorList is one operator state of one subtask, as a snapshot holds it.
type OperatorList struct {
	Name     string
	Mode     Redistribution
	Elements [][]byte // a broadcast map's elements are its entries, see AppendEntry
}

// AppendEntry writes a broadcast map's entry as one element.
func AppendEntry(dst, key, value []byte) []byte { return append(AppendBytes(dst, key), value...) }

// ReadEntry reads what AppendEntry wrote.
func ReadEntry(src []byte) (key, value []byte, err error) {
	w := NewWire(src)
	key = w.Bytes()
	return key, w.rest, w.Err()
}

// NewOperatorList declares an operator list state; call it in Open. After a restore it holds the
// elements that redistribution gave this subtask.
func NewOperatorList[T any](c *Context, name string, codec Codec[T], mode Redistribution) List[T] {
	cell, err := c.operators(name).List(describe(name, ListState, codec, nil), mode)
	if err != nil {
		panic(&StateError{State: name, Reason: err.Error()})
	}
	return List[T]{c: c, cell: cell, name: name, nullable: nullable[T]()}
}

// Broadcast is Flink's broadcast state: a map that every subtask holds a copy of. ProcessBroadcast
// may write it; everywhere else it is read-only, and Put or Remove panics with ErrReadOnly.
type Broadcast[K, V any] struct{ m Map[K, V] }

// NewBroadcast declares a broadcast state; call it in Open.
func NewBroadcast[K, V any](c *Context, name string, keys OrderedCodec[K], values Codec[V]) Broadcast[K, V] {
	cell, err := c.operators(name).Broadcast(describe(name, MapState, values, nil))
	if err != nil {
		panic(&StateError{State: name, Reason: err.Error()})
	}
	return Broadcast[K, V]{mapOver(c, name, cell, keys, values)}
}

// Get is the value under key, and whether there is one.
func (b *Broadcast[K, V]) Get(key K) (V, bool) { return b.m.Get(key) }

// All walks the entries, keys ascending.
func (b *Broadcast[K, V]) All() iter.Seq2[K, V] { return b.m.All() }

// Put stores a value under key.
func (b *Broadcast[K, V]) Put(key K, v V) {
	b.mayWrite()
	b.m.Put(key, v)
}

// Remove deletes an entry.
func (b *Broadcast[K, V]) Remove(key K) {
	b.mayWrite()
	b.m.Remove(key)
}

func (b *Broadcast[K, V]) mayWrite() {
	if !b.m.c.Broadcasting {
		panic(&StateError{State: b.m.name, Err: ErrReadOnly})
	}
}

// Counter is a count that survives with the job: an operator list of one number. The oracle judges
// counters, so they are state and not a metric of the process.
type Counter struct{ n *int64 }

// NewCounter declares a counter; call it in Open. After a restore it starts with the sum of what
// redistribution gave this subtask, so that the sum over all subtasks is right at any parallelism.
func NewCounter(c *Context, name string) Counter {
	list := NewOperatorList[int64](c, name, Int64, EvenSplit)
	total := new(int64)
	for n := range list.All() {
		*total += n
	}
	list.cell.Update([]any{total}) // the cell keeps this pointer: Add needs no further call
	counter := Counter{n: total}
	if c.Counters == nil {
		c.Counters = map[string]Counter{}
	}
	c.Counters[name] = counter
	return counter
}

// Add counts n more.
func (c Counter) Add(n int64) { *c.n += n }

// Count is the count of this subtask so far.
func (c Counter) Count() int64 { return *c.n }
