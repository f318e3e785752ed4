package stream

// OperatorSnapshot is the state of one operator in one subtask: its part of a checkpoint.
type OperatorSnapshot struct {
	UID         string
	Subtask     int
	Parallelism int
	MaxGroups   int             // the job's number of key groups; 0 for an operator without keyed state
	Groups      []GroupSnapshot // keyed state and timers, groups ascending; groups without content are left out
	Lists       []OperatorList  // operator and broadcast state, by ascending name
	Files       []StateFile     // instead of Groups, from a backend whose snapshots are files
	Release     func()          // gives Files back when they are stored, or not wanted; nil: nothing to do
	States      []StateInfo     // what the keyed states say of themselves, in the order of their declaration
}

// GroupSnapshot is one key group's keyed state and timers, as Backend.Snapshot wrote them.
type GroupSnapshot struct {
	Group int
	Bytes []byte
}

// StateFile is an immutable file of a FileBackend's snapshot. Its name is made from its content: two
// files of one name, of whatever snapshot of whatever run, hold the same bytes, and a store keeps them
// once.
type StateFile struct {
	Name    string // without a folder
	Path    string // where it is on this machine; empty: nowhere
	Content []byte // its bytes, if Path is empty
	Size    int64
}

// FileBackend is a Backend whose snapshots are immutable files, so that a checkpoint writes only what
// has changed since the one before (Flink: incremental checkpoints of RocksDB).
type FileBackend interface {
	Backend
	// SnapshotFiles is the present state of all key groups, as files that never change again; most are
	// those of the snapshot before. They stay in place until release is called, from any goroutine,
	// or the backend is closed. It stops the task until what is new has been written out.
	SnapshotFiles() (files []StateFile, release func(), err error)
	// RestoreFiles reads the key groups that this backend owns out of the files of one old subtask,
	// before the first element. It may be called once for each old subtask. The files are left as
	// they are.
	RestoreFiles(files []StateFile) error
}

// Checkpoint is everything that a job can start again from.
type Checkpoint struct {
	ID        int64
	Savepoint bool                          // taken by hand; not removed when newer ones are complete
	Job       string                        // the job's name
	Created   Time                          // processing time
	Operators map[string][]OperatorSnapshot // by uid, one for each subtask
}
