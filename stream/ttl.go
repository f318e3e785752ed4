package stream

import "time"

// TTL lets a state's entries expire: one value, one list element, one map entry at a time. Only
// processing time counts, and an entry has expired when its stamp plus After is at or before now
// (Flink: StateTtlConfig). It is a property of the running job, not of a snapshot.
type TTL struct {
	After      time.Duration // more than 0, counted in milliseconds
	Update     TTLUpdate
	Visibility TTLVisibility
	Cleanup    TTLCleanup
}

// TTLUpdate says which accesses start the clock anew.
type TTLUpdate uint8

// Flink's update types. The zero value is its default.
const (
	OnCreateAndWrite TTLUpdate = iota
	OnReadAndWrite
)

func (u TTLUpdate) String() string {
	return [...]string{"OnCreateAndWrite", "OnReadAndWrite"}[u]
}

// TTLVisibility says what a read gives for an entry that has expired and is still stored.
type TTLVisibility uint8

// Flink's visibilities. The zero value is its default.
const (
	NeverReturnExpired TTLVisibility = iota
	ReturnExpiredIfNotCleanedUp
)

func (v TTLVisibility) String() string {
	return [...]string{"NeverReturnExpired", "ReturnExpiredIfNotCleanedUp"}[v]
}

// TTLCleanup says when expired entries that nobody reads are removed.
type TTLCleanup uint8

// Cleanup strategies.
const (
	CleanupOnRead      TTLCleanup = iota // only when they are met
	CleanupInSnapshot                    // and left out of every snapshot
	CleanupIncremental                   // and a few looked for at every access (exercise 3h)
)
