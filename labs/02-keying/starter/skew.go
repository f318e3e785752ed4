package keying

import (
	"gatewaymeter/stream"
	"gatewaymeter/todo" // made from ../solution by "go tool lab starters"; this file is yours to edit
)

// Skew measures how unevenly keys load the subtasks of a keyed operator. It counts every key exactly,
// so it is for a sample or a test, not for a stream without end. One goroutine uses it at a time.
type Skew struct {
	groups      stream.Groups
	parallelism int
	//lab:begin 2f
	// What 2f needs to keep goes here.
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
	panic(todo.Exercise("2f"))
	//lab:end
}

// Add counts one record with that key.
func (s *Skew) Add(key string) {
	//lab:begin 2f
	panic(todo.Exercise("2f"))
	//lab:end
}

// Hottest is the n keys with the most records (all, if there are fewer), the hottest first; among
// equals the lesser key comes first.
func (s *Skew) Hottest(n int) []KeyLoad {
	//lab:begin 2f
	panic(todo.Exercise("2f"))
	//lab:end
}

// Busiest is the subtask with the most records; among equals the one with the lower number. Without
// any record it is subtask 0 with a share of 0.
func (s *Skew) Busiest() SubtaskLoad {
	//lab:begin 2f
	panic(todo.Exercise("2f"))
	//lab:end
}

//lab:begin 2f

// What 2f needs besides goes here.

//lab:end
