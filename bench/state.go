package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"gatewaymeter/bench/work"
	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/stream"
)

// State is what open requests cost that nobody completes: in memory, on disk, and in a checkpoint. From
// stage 06 on each has a pending timer too.
type State struct {
	Stage    int    `json:"stage"`
	Backend  string `json:"backend"`
	Entries  int    `json:"entries"`
	Timers   int    `json:"timers"`
	Memory   int64  `json:"memory_bytes"` // live objects of Go; what pebble has besides is in RSS
	Disk     int64  `json:"disk_bytes"`   // files
	Snapshot int64  `json:"snapshot_bytes"`
	RSS      int64  `json:"rss_bytes"`

	MemoryEach   float64 `json:"memory_bytes_per_entry"`
	DiskEach     float64 `json:"disk_bytes_per_entry"`
	SnapshotEach float64 `json:"snapshot_bytes_per_entry"`

	FillSeconds    float64 `json:"fill_s"`
	First          Taken   `json:"first_checkpoint"`
	Changed        int     `json:"changed"` // entries that changed between the two checkpoints
	Second         Taken   `json:"second_checkpoint"`
	RestoreSeconds float64 `json:"restore_s"` // of the second checkpoint, into a new operator
}

// OpenRequests opens c.Requests requests in one subtask of the assembler, takes a checkpoint, changes
// some of them, takes another, and starts anew from that. The result is also wrong or right: every
// request must be there, after the restore too.
func OpenRequests(ctx context.Context, c Config) (*State, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c, remove, err := c.withDir(true)
	if err != nil {
		return nil, err
	}
	defer remove()
	before := liveBytes()
	start := time.Now()
	u, err := c.newAssembler(nil)
	if err != nil {
		return nil, err
	}
	for n := range int(c.Requests) {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, errors.Join(ctx.Err(), u.Close())
		}
		if err := open(u, n, opened(n)); err != nil {
			return nil, err
		}
	}
	s := &State{Stage: int(c.Stage), Backend: c.Backend, FillSeconds: time.Since(start).Seconds()}
	s.Memory = liveBytes() - before
	if s.Disk, err = filesIn(c.Dir); err != nil {
		return nil, err
	}
	if err := s.checkpoints(c, u); err != nil {
		return nil, errors.Join(err, u.Close())
	}
	if err := u.Close(); err != nil {
		return nil, err
	}
	if err := s.restore(c); err != nil {
		return nil, err
	}
	s.RSS = residentBytes()
	return s, s.divide(c.Requests)
}

// newAssembler makes the job's assembler, alone in its subtask.
func (c Config) newAssembler(restore []engine.OperatorSnapshot) (*engine.Unit, error) {
	parts, ours, err := c.ours()
	if err != nil {
		return nil, err
	}
	return engine.NewKeyedUnit(engine.UnitConfig{
		Parts: parts, UID: "assemble", Parallelism: 1, Clock: engine.SystemClock{}, Restore: restore,
	}, requestOf, ours.Assemble(), func(stream.Record[gateway.RequestRecord]) {})
}

// open opens the n-th request. Its id is built as decoding would; tenants and models are shared.
func open(u *engine.Unit, n int, at stream.Time) error {
	return engine.Element(u, event(gateway.RequestStarted, n, at), at, requestOf)
}

// reopen completes the n-th request, and opens it again a millisecond later: its state and its timer are
// others then.
func reopen(u *engine.Unit, n int) error {
	at := opened(n) + 1
	if err := engine.Element(u, event(gateway.RequestCompleted, n, at), at, requestOf); err != nil {
		return err
	}
	return open(u, n, at)
}

// opened is when the n-th request is opened first.
func opened(n int) stream.Time { return stream.Time(work.T0 + int64(n)) }

func event(kind gateway.EventType, n int, at stream.Time) gateway.Event {
	return gateway.Event{
		Type: kind, RequestID: "r-" + strconv.Itoa(n), TenantID: tenants[n%len(tenants)],
		Model: models[n%len(models)], TS: int64(at), PromptTokens: int64(1 + n%2048),
	}
}

var tenants = func() (names [1000]string) {
	for i := range names {
		names[i] = fmt.Sprintf("tenant-%04d", i)
	}
	return names
}()

// divide fills in what one entry costs, and checks that all are there.
func (s *State) divide(requests int64) error {
	if int64(s.Entries) != requests || s.Stage == int(work.Full) && int64(s.Timers) != requests {
		return fmt.Errorf("%d requests were opened, and after a restore there are %d, with %d timers", requests, s.Entries, s.Timers)
	}
	each := func(bytes int64) float64 { return float64(bytes) / float64(requests) }
	s.MemoryEach, s.DiskEach, s.SnapshotEach = each(s.Memory), each(s.Disk), each(s.Snapshot)
	return nil
}

// liveBytes is what Go's heap holds after a collection.
func liveBytes() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the first may leave what pools hold to the second
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// filesIn is the size of all files below a folder.
func filesIn(dir string) (total int64, err error) {
	if dir == "" {
		return 0, nil
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if os.IsNotExist(err) {
			return nil // compacted away meanwhile
		}
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
}
