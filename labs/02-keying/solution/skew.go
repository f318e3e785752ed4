package keying

import (
	"cmp"
	"slices"

	"gatewaymeter/stream"
)

// Skew measures how unevenly keys load the subtasks of a keyed operator. It counts every key exactly,
// so it is for a sample or a test, not for a stream without end. One goroutine uses it at a time.
type Skew struct {
	groups      stream.Groups
	parallelism int
	//lab:begin 2f
	keys     map[string]int64 // records by key
	subtasks []int64          // records by subtask
	total    int64
	//lab:end
}

// KeyLoad is what one key brings.
type KeyLoad struct {
	Key     string
	Group   int
	Subtask int
	Records int64
	Share   float64 // of all records, 0 to 1
}

// SubtaskLoad is what one subtask gets.
type SubtaskLoad struct {
	Subtask int
	Records int64
	Share   float64 // of all records, 0 to 1; 1/parallelism would be even
}

// NewSkew measures string keys at a parallelism, placed by groups.
func NewSkew(groups stream.Groups, parallelism int) *Skew {
	//lab:begin 2f
	return &Skew{
		groups:      groups,
		parallelism: parallelism,
		keys:        map[string]int64{},
		subtasks:    make([]int64, parallelism),
	}
	//lab:end
}

// Add counts one record with that key.
func (s *Skew) Add(key string) {
	//lab:begin 2f
	_, subtask := s.place(key)
	s.keys[key]++
	s.subtasks[subtask]++
	s.total++
	//lab:end
}

// Hottest is the n keys with the most records (all, if there are fewer), the hottest first; among
// equals the lesser key comes first.
func (s *Skew) Hottest(n int) []KeyLoad {
	//lab:begin 2f
	loads := make([]KeyLoad, 0, len(s.keys))
	for key, records := range s.keys { // sorted below: the order of a map must not show
		group, subtask := s.place(key)
		loads = append(loads, KeyLoad{Key: key, Group: group, Subtask: subtask, Records: records, Share: s.share(records)})
	}
	slices.SortFunc(loads, func(a, b KeyLoad) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Key, b.Key))
	})
	return loads[:min(n, len(loads))]
	//lab:end
}

// Busiest is the subtask with the most records; among equals the one with the lower number. Without
// any record it is subtask 0 with a share of 0.
func (s *Skew) Busiest() SubtaskLoad {
	//lab:begin 2f
	busiest := SubtaskLoad{}
	for subtask, records := range s.subtasks {
		if records > busiest.Records {
			busiest = SubtaskLoad{Subtask: subtask, Records: records, Share: s.share(records)}
		}
	}
	return busiest
	//lab:end
}

//lab:begin 2f

// place is where a key lives.
func (s *Skew) place(key string) (group, subtask int) {
	group = s.groups.Of(HashString(key))
	return group, s.groups.Owner(group, s.parallelism)
}

func (s *Skew) share(records int64) float64 {
	if s.total == 0 {
		return 0
	}
	return float64(records) / float64(s.total)
}

//lab:end
