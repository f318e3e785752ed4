package anatomy

import "gatewaymeter/stream"

// Status is whether a checkpoint can be used.
type Status string

// The states of a checkpoint.
const (
	Whole      Status = "whole"
	Damaged    Status = "damaged"    // it was complete, and is not as it was written
	Incomplete Status = "incomplete" // it has no manifest: it is being taken, or was when the process died
)

// Checkpoint is what is to be known of one: a line of `lab checkpoint --json`.
type Checkpoint struct {
	ID       int64    `json:"id"`
	Path     string   `json:"path"`
	Status   Status   `json:"status"`
	Problems []string `json:"problems,omitempty"` // what is wrong, a line for each file
	// Taken: a job that restores from this folder starts here. Restore is the one that it takes; 0: none.
	Taken   bool  `json:"taken"`
	Restore int64 `json:"restore"`

	Job       string `json:"job,omitempty"`
	Savepoint bool   `json:"savepoint,omitempty"`
	Created   int64  `json:"created_ms,omitempty"` // ms since the epoch
	Age       int64  `json:"age_ms,omitempty"`
	Size      int64  `json:"bytes"`        // of all its files
	Shared    int64  `json:"shared_bytes"` // of those, what an older checkpoint in the folder names too

	Operators []Operator `json:"operators,omitempty"`
	Offsets   []Offset   `json:"offsets,omitempty"`
	Files     []File     `json:"files,omitempty"`
}

// Operator is one operator, all subtasks together.
type Operator struct {
	UID         string   `json:"uid"`
	Parallelism int      `json:"parallelism"`
	MaxGroups   int      `json:"max_parallelism,omitempty"` // its number of key groups; 0: it is not keyed
	Ranges      [][2]int `json:"key_groups,omitempty"`      // by subtask: the first and the last
	Unread      int      `json:"unread,omitempty"`          // subtasks whose part is damaged or missing: what follows is without them
	States      []State  `json:"states,omitempty"`
	Timers      []Timers `json:"timers,omitempty"`
	Lists       []List   `json:"operator_state,omitempty"`
}

// State is one keyed state of an operator.
type State struct {
	Name    string           `json:"name"`
	Kind    string           `json:"kind"`
	Type    string           `json:"type"`
	Removed []stream.Removal `json:"removed"` // how entries go; empty: it does not say
	TTLMS   int64            `json:"ttl_ms,omitempty"`
	Entries int              `json:"entries"` // keys that have something in it
	// Untimed counts entries of a state that goes by a timer whose key has no timer: they stay.
	Untimed int   `json:"untimed"`
	Bytes   int64 `json:"bytes"`
	Min     int   `json:"min"` // entries in a key group, over all groups
	Median  int   `json:"median"`
	Max     int   `json:"max"`
	Groups  []int `json:"groups,omitempty"` // entries by key group, if asked for
}

// Timers are an operator's timers of one domain.
type Timers struct {
	Domain string      `json:"domain"` // event or proc
	Count  int         `json:"timers"`
	Keys   int         `json:"keys"`
	First  stream.Time `json:"first_ms"` // the earliest and the latest
	Last   stream.Time `json:"last_ms"`
}

// List is an operator state, of all subtasks together.
type List struct {
	Name     string `json:"name"`
	Mode     string `json:"mode"` // how it is dealt out on a restore: split, union, broadcast
	Elements int    `json:"elements"`
	Bytes    int64  `json:"bytes"`
}

// Offset is where a source goes on reading a partition.
type Offset struct {
	UID       string `json:"uid"`
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Next      int64  `json:"next"`
	Stop      int64  `json:"stop"` // it reads up to here, without it
}

// File is a file that the manifest names.
type File struct {
	Path     string `json:"path"` // below the folder of all checkpoints
	Size     int64  `json:"bytes"`
	Checksum string `json:"checksum"`
	Shared   bool   `json:"shared,omitempty"` // an older checkpoint in the folder names it too
	Problem  string `json:"problem,omitempty"`
}
