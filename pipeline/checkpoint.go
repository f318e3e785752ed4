package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gatewaymeter/engine"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/stream"
)

// CheckpointConfig says whether and where a run on a broker takes checkpoints.
type CheckpointConfig struct {
	Dir              string        // where they are kept
	Interval         time.Duration // between two starts; 0: none are taken, only Restore counts
	Restore          string        // a folder with checkpoints to start from; empty: start from nothing
	AllowNonRestored bool
	// Store opens a folder of checkpoints; nil: OpenCheckpoints.
	Store func(dir string) (stream.CheckpointStore, error)
	// OnCheckpoint is told of each checkpoint that has ended; OnRestore of the one that the job starts
	// from, and of newer ones that are damaged. Both may be nil.
	OnCheckpoint func(engine.CheckpointReport)
	OnRestore    func(from *stream.Checkpoint, refused []error)
	// Warn is told of what went wrong and is no failure of the run: offsets that Kafka could not be told of.
	// May be nil.
	Warn func(error)
}

// Group is the consumer group under which a run commits its offsets, for whoever watches its lag. The job
// never reads them: it starts from its checkpoint.
func Group(prefix string, stage int) string { return prefix + jobName(stage) }

// Retained is how many checkpoints a run keeps.
const Retained = 3

// OpenCheckpoints opens a folder of checkpoints, which must exist.
func OpenCheckpoints(dir string) (*checkpoints.Store, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("the checkpoints in %s: %w", dir, err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("the checkpoints in %s: it is a file, not a folder", dir)
	}
	return checkpoints.NewStore(checkpoints.OSDisk{Root: dir}, Retained)
}

func (c *CheckpointConfig) open(dir string) (stream.CheckpointStore, error) {
	if c.Store != nil {
		return c.Store(dir)
	}
	return OpenCheckpoints(dir)
}

// checkpoints sets up a start from a checkpoint, and the taking of new ones.
func (r *run) checkpoints(j *engine.Job) (o engine.Options, err error) {
	c := r.Checkpoints
	if c == nil {
		return o, nil
	}
	o.OnCheckpoint = c.OnCheckpoint
	if c.Restore != "" {
		if o.Restore, err = j.Match(r.latest, c.AllowNonRestored); err != nil {
			return o, err
		}
		if err := errors.Join(r.resume(&r.events, o.Restore["gateway-source"]), r.resume(&r.cards, o.Restore["card-source"])); err != nil {
			return o, err
		}
	}
	if c.Interval == 0 {
		return o, nil
	}
	if err := r.openStore(); err != nil {
		return o, err
	}
	cfg := stream.Checkpointing{Interval: stream.Time(c.Interval.Milliseconds())}
	if cfg.First, err = r.store.Next(); err != nil {
		return o, err
	}
	r.commits = commitOffsets(r.store, func(splits []stream.Split) error {
		return r.Broker.CommitOffsets(Group(r.Prefix, r.Stage), splits)
	}, func(err error) {
		if c.Warn != nil {
			c.Warn(fmt.Errorf("the offsets of a checkpoint are not committed, which only whoever watches the lag will miss: %w", err))
		}
	})
	o.Checkpoints = &engine.Checkpoints{Store: r.commits, Config: cfg}
	return o, nil
}

// openStore opens the folder for the run's checkpoints, unless that is done. A run that starts anew does it
// before it writes anything, and is refused a folder with a complete checkpoint of an earlier run: it would
// be removed as soon as this run has enough of its own. A damaged one may be all that is left of a bill.
func (r *run) openStore() (err error) {
	c := r.Checkpoints
	if r.store != nil || c == nil || c.Interval == 0 {
		return nil
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return fmt.Errorf("the folder for checkpoints: %w", err)
	}
	if r.store, err = c.open(c.Dir); err != nil || r.restores() {
		return err
	}
	if next, err := r.store.Next(); err != nil || next == 1 {
		return err
	}
	latest, refused, err := r.store.Latest()
	if err == nil && latest != nil {
		return fmt.Errorf("%s holds checkpoint %d of an earlier run, which this one would remove: go on from it with --restore, or choose another --checkpoint-dir", c.Dir, latest.ID)
	}
	for _, damaged := range refused {
		if !errors.Is(damaged, fs.ErrNotExist) { // what was never completed is of no use to anybody
			return fmt.Errorf("%s holds a checkpoint of an earlier run, which this one would remove: choose another --checkpoint-dir, or empty this one; %w", c.Dir, damaged)
		}
	}
	return err
}

// resume takes the ends of the partitions from the checkpoint: they are those that the first start saw,
// whatever has been written since.
func (r *run) resume(in *input, source []engine.OperatorSnapshot) error {
	r.restored = true
	splits, err := engine.Offsets(source)
	for _, s := range splits {
		if s.Topic != in.topic {
			return fmt.Errorf("the checkpoint goes on in topic %s, and this run reads %s: they are not of the same run, see --output-prefix, --input and --cards", s.Topic, in.topic)
		}
		if ended := s.Stop != stream.Unbounded; ended == r.Follow {
			return fmt.Errorf("the checkpoint is of a run with --follow=%v: give the first run's flags", !ended)
		}
		for i := range in.splits {
			if in.splits[i].Partition == s.Partition {
				in.splits[i].Stop = s.Stop
			}
		}
	}
	return err
}

// find finds the latest whole checkpoint. A restored run does that before it asks for its topics: a folder
// without a checkpoint is the nearer cause.
func (c *CheckpointConfig) find(job string) (*stream.Checkpoint, error) {
	store, err := c.open(c.Restore)
	if err != nil {
		return nil, err
	}
	latest, refused, err := store.Latest()
	if err != nil {
		return nil, err
	}
	if _, single := checkpoints.IDOfFolder(filepath.Base(c.Restore)); latest == nil && single {
		return nil, fmt.Errorf("%s is the folder of one checkpoint: name the one that holds all, %s", c.Restore, filepath.Dir(c.Restore))
	}
	if latest == nil {
		return nil, errors.Join(append([]error{fmt.Errorf("%s holds no checkpoint to start from", c.Restore)}, refused...)...)
	}
	if latest.Job != job {
		return nil, fmt.Errorf("checkpoint %d in %s is of job %q, this is %q: run the same --stage", latest.ID, c.Restore, latest.Job, job)
	}
	if c.OnRestore != nil {
		c.OnRestore(latest, refused)
	}
	return latest, nil
}
