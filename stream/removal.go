package stream

import "slices"

// Removal is a way in which the entries of a keyed state go. A state says it of itself, where it is
// declared (see RemovedBy), so that a checkpoint can be asked about it years later. Nothing is removed
// because of it, except by TTL.
type Removal string

// The ways in which an entry goes, in the order in which they are listed.
const (
	ByElement Removal = "element" // a later element of its key removes it: on completion
	ByTimer   Removal = "timer"   // a timer of its key removes it
	ByTTL     Removal = "ttl"     // its time to live ends; follows from Expire, and need not be said
	Never     Removal = "never"   // it stays as long as the job runs
)

// RemovedBy says in which ways the entries of a state go.
func RemovedBy(ways ...Removal) Option {
	return func(d *Descriptor) { d.Removed = append(d.Removed, ways...) }
}

// StateInfo is what a snapshot says of a keyed state besides its entries, for whoever looks at a
// checkpoint. No restore reads it.
type StateInfo struct {
	Name    string    `json:"name"`
	Kind    string    `json:"kind"`
	Type    string    `json:"type"`
	TTLMS   int64     `json:"ttl_ms,omitempty"` // 0: none
	Removed []Removal `json:"removed,omitempty"`
}

// infoOf is what a descriptor says of its state.
func infoOf(d Descriptor) StateInfo {
	info := StateInfo{Name: d.Name, Kind: d.Kind.String(), Type: d.Type, Removed: slices.Clone(d.Removed)}
	if d.TTL != nil {
		info.TTLMS = d.TTL.After.Milliseconds()
		if !slices.Contains(info.Removed, ByTTL) {
			info.Removed = append(info.Removed, ByTTL)
		}
	}
	return info
}
