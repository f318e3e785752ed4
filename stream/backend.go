package stream

// Backend keeps one subtask's keyed state: a drawer for each (key group, key), and in each drawer a
// slot for each state that the operator declared.
//
// SetKey opens a drawer; every cell then looks into it, until the next SetKey. That is why a handle
// needs no key argument. A backend is used by one goroutine at a time. Faults of the caller, such as
// no current key, are panics with a *StateError, which the task turns into a failure of the job.
type Backend interface {
	// SetKey makes (group, key) the current key. It resolves the key once. A negative group means
	// that no key is current.
	SetKey(group int, key string)
	// Cell declares a state, in Open. The same name is the same cell, as in Flink; the same name
	// with another kind or type is an error. What it returns is a ValueCell, ListCell, MapCell or
	// FoldCell, as the descriptor's Kind says.
	Cell(d Descriptor) (Cell, error)
	// Flush is called after every packet and every watermark: a serialised backend writes here.
	Flush() error
	// Snapshot appends one key group's drawers to dst, keys ascending.
	Snapshot(group int, dst []byte) ([]byte, error)
	// Restore reads a group that Snapshot wrote, before the first element. States that are in src
	// but have not been declared yet are kept until they are.
	Restore(group int, src []byte) error
	// Each walks a state in one group, keys ascending. v is what the cell's kind holds: a *T for
	// value and folding states, a []any of *T for lists, a []MapEntry for maps.
	Each(state string, group int, f func(key string, v any) error) error
	// Entries counts the keys that have something in a state.
	Entries(state string) int
	// Close gives memory and files back.
	Close() error
}

// MapEntry is an entry of a map state as Backend.Each shows it.
type MapEntry struct {
	Key   []byte // as the map's key codec wrote it
	Value any    // a *T
}

// Kind says which of Flink's five primitives a state is.
type Kind uint8

// The five kinds of keyed state.
const (
	ValueState Kind = iota + 1
	ListState
	MapState
	ReducingState
	AggregatingState
)

func (k Kind) String() string {
	return [...]string{"unknown", "value", "list", "map", "reducing", "aggregating"}[k]
}

// Descriptor declares a state to a backend, with its types erased: cells hand out pointers in an
// any, which needs no allocation. The handles' constructors (NewValue, NewList, ...) make it.
type Descriptor struct {
	Name  string
	Kind  Kind
	Type  string          // the Go type of an element, for messages and the check on restore
	New   func() any      // a new *T: the value, a list element, a map's value, an accumulator
	Copy  func(v any) any // a new *T with the same content; shares what T points to, as the heap does
	Codec Erased
	Fold  *Fold // of reducing and aggregating states
	TTL   *TTL  // nil: never expires
	// Removed says how entries go; see RemovedBy.
	Removed []Removal
	// Keep is asked of every value, list element, map value or accumulator when a snapshot is
	// taken; what it refuses is left out of the snapshot, and stays. nil keeps everything.
	Keep func(v any) bool
	// Live: an object in every backend until a snapshot is taken. Timer sets are, since they hold
	// positions in a queue, which no copy may have.
	Live bool
}

// Erased is a Codec behind pointers in an any.
type Erased interface {
	Append(dst []byte, v any) []byte   // v is a *T
	Decode(src []byte, into any) error // into is a *T
}

// Fold is how a reducing or aggregating state takes a new element.
type Fold struct {
	Create func(acc any)     // aggregating: makes *acc the empty accumulator; nil for reducing
	Set    func(acc, in any) // reducing: the first element is the value; nil for aggregating
	Add    func(acc, in any) // *acc becomes *acc with *in added
}

// Cell is one state at the current key. See ValueCell, ListCell, MapCell and FoldCell.
type Cell interface {
	// Clear removes the current key's content; the backend may reuse its memory for another key.
	Clear()
}

// ValueCell holds one value.
type ValueCell interface {
	Cell
	// Get is a *T, or nil when absent. To change what it points to, call Put too.
	Get() any
	// Put is the place to write, counted as written. Its content is unspecified if Get gives nil,
	// and is what Get showed otherwise, if Get was called before it.
	Put() any
}

// Settler is a ValueCell or MapCell that keeps bytes. Settle says that the place from the last Put has
// been written: the cell takes the bytes now, and what happens to the value afterwards does not reach
// the state. A caller of Put that does not call Settle must write the place before its next call.
type Settler interface{ Settle() }

// ListCell holds elements in order. Null elements are refused (Flink: NullPointerException).
type ListCell interface {
	Cell
	Add(e any)               // e is a *T that the cell may keep; nil panics with ErrNull
	Update(es []any)         // replaces all; no elements is the same as Clear
	Each(f func(e any) bool) // in order, until f says false
	Len() int
}

// MapCell holds entries under encoded keys. A key is valid during the call only: copy it to keep it.
type MapCell interface {
	Cell
	Get(key []byte) any // a *T, or nil when absent
	Put(key []byte) any // the place to write, as ValueCell's
	Remove(key []byte)  // removing the last entry leaves nothing behind
	// Each walks a copy of the keys, ascending, until f says false. An entry removed meanwhile is
	// skipped.
	Each(f func(key []byte, v any) bool)
	Len() int
}

// FoldCell holds a reducing state's value or an aggregating state's accumulator.
type FoldCell interface {
	Cell
	Get() any   // the *T or *Acc, or nil when absent
	Add(in any) // nil clears, as Flink's heap does
}

// Sweeper is a Backend that can look for expired entries a few at a time (lab 03, exercise 3h).
type Sweeper interface {
	// Sweep looks at the next n drawers, round and round, and removes what expired says of a state.
	Sweep(state string, n int, expired func(v any) bool)
}
