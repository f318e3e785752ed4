package serialised

import (
	"bytes"
	"errors"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"gatewaymeter/stream"
)

// store is rows by key: pebble, and in front of it a cache of the rows that were used lately, which
// takes the writes too. The cache is written out and emptied when it has become large, at a Flush.
type store struct {
	dir   string
	db    *pebble.DB
	cache map[string]*row
	dirty []*row
	free  []*row
}

// row is a cached row.
type row struct {
	key     string
	value   []byte
	present bool // it exists
	stored  bool // pebble has a version of it
	dirty   bool // it is in store.dirty
}

// cacheRows is how many rows make the cache large. A busy job wants its working set in it: a miss is a
// read of some microseconds.
const cacheRows = 1 << 15

// deltas is how many tables with the changes since the checkpoint before may lie above each other, before
// they are merged into the rest. The merge writes everything anew: where one key in a hundred changes
// between two checkpoints, one in so many checkpoints is full, and the others are a hundredth. More
// would write less, but a key that is not in store.cache is looked for in each: up to a microsecond.
const deltas = 16

// Pebble takes what its memory tables need, two of them while one is flushed, out of its cache of blocks:
// what is left must hold the filters of all tables, or each look-up reads them anew.
const (
	blockBytes    = 32 << 20
	memTableBytes = 32 << 20
)

func openStore(dir string) (*store, error) {
	cache := pebble.NewCache(blockBytes + 2*memTableBytes)
	defer cache.Unref()
	options := &pebble.Options{
		FS:           unsynced{vfs.Default},
		DisableWAL:   true, // a crash loses it all anyway; a checkpoint brings it back
		MemTableSize: memTableBytes,
		Cache:        cache,
		Logger:       quiet{},

		L0CompactionThreshold: 2 * deltas, // pebble counts each twice
		L0StopWritesThreshold: 4 * deltas,
		MaxManifestFileSize:   64 << 10, // every checkpoint has a copy
	}
	options.Experimental.ReadSamplingMultiplier = -1 // reading must not rewrite anything
	for i := range options.Levels {
		options.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	db, err := pebble.Open(dir, options)
	if err != nil {
		return nil, err
	}
	return &store{dir: dir, db: db, cache: map[string]*row{}}, nil
}

// quiet drops pebble's own log. What it cannot go on from is a panic, which fails the task.
type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(format string, args ...any) {
	panic(&stream.StateError{State: "(pebble)", Reason: format})
}

// must turns a failure of the store into the panic that fails the task.
func must(err error) {
	if err != nil {
		panic(&stream.StateError{State: "(pebble)", Reason: "the state on disk cannot be used", Err: err})
	}
}

// row is a row, cached from now on. The caller must not keep it beyond the next Flush.
func (s *store) row(key []byte) *row {
	if r, ok := s.cache[string(key)]; ok {
		return r
	}
	r := s.newRow(key)
	value, closer, err := s.db.Get(key)
	switch {
	case err == nil:
		r.value, r.present, r.stored = append(r.value, value...), true, true
		must(closer.Close())
	case !errors.Is(err, pebble.ErrNotFound):
		must(err)
	}
	return r
}

// newRow is an absent row, in the cache.
func (s *store) newRow(key []byte) *row {
	var r *row
	if n := len(s.free); n > 0 {
		r, s.free = s.free[n-1], s.free[:n-1]
		*r = row{value: r.value[:0]}
	} else {
		r = &row{}
	}
	r.key = string(key)
	s.cache[r.key] = r
	return r
}

// get is a row's bytes, or nil if there is no such row. They are valid until the row is written.
func (s *store) get(key []byte) []byte {
	if r := s.row(key); r.present {
		return r.value
	}
	return nil
}

// set says that r was changed: its value is there now, or it is gone.
func (s *store) set(r *row, present bool) {
	r.present = present
	if !r.dirty {
		r.dirty = true
		s.dirty = append(s.dirty, r)
	}
}

// remove deletes a row and reports whether there was one.
func (s *store) remove(key []byte) bool {
	r := s.row(key)
	had := r.present
	if had {
		s.set(r, false)
	}
	return had
}

// write brings pebble up to date. A row that came and went since the last time costs nothing.
func (s *store) write() error {
	if len(s.dirty) == 0 {
		return nil
	}
	batch := s.db.NewBatch()
	defer batch.Close()
	for _, r := range s.dirty {
		var err error
		switch {
		case r.present:
			err = batch.Set([]byte(r.key), r.value, nil)
		case r.stored:
			err = batch.Delete([]byte(r.key), nil)
		}
		if err != nil {
			return err
		}
		r.stored, r.dirty = r.present, false
	}
	s.dirty = s.dirty[:0]
	return batch.Commit(pebble.NoSync)
}

// spill writes and empties a cache that has become large.
func (s *store) spill() error {
	if len(s.cache) <= cacheRows {
		return nil
	}
	return s.empty()
}

// empty writes and empties the cache.
func (s *store) empty() error {
	if err := s.write(); err != nil {
		return err
	}
	for _, r := range s.cache {
		s.free = append(s.free, r)
	}
	clear(s.cache)
	return nil
}

// each walks the rows from one key to before another, ascending, until f says false. f may change
// rows: the walk shows them as they were when it began. Its slices are f's during the call only.
func (s *store) each(from, to []byte, f func(key, value []byte) (bool, error)) error {
	if err := s.write(); err != nil {
		return err
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return err
	}
	defer it.Close()
	for more := it.First(); more; more = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if on, err := f(it.Key(), value); err != nil || !on {
			return err
		}
	}
	return it.Error()
}

// under walks the rows that begin with prefix.
func (s *store) under(prefix []byte, f func(key, value []byte) error) error {
	return s.each(prefix, after(prefix), func(key, value []byte) (bool, error) {
		return true, f(bytes.TrimPrefix(key, prefix), value)
	})
}

func (s *store) close() error { return s.db.Close() }
