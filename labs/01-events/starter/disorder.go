package events

import "gatewaymeter/todo" // made from ../solution by "go tool lab starters"; this file is yours to edit

// Disorder measures how far event time lags behind itself: for each event of a partition, how many ms
// its timestamp is below the greatest one that the partition had so far. A watermark must wait that
// long (lab 05), so this is the figure that its bound is chosen from. One goroutine uses it at a time.
type Disorder struct {
	//lab:begin 1e
	// What 1e needs to keep goes here.
	//lab:end
}

//lab:begin 1e

// What 1e needs besides goes here.

//lab:end

// NewDisorder has seen nothing yet.
func NewDisorder() *Disorder {
	//lab:begin 1e
	panic(todo.Exercise("1e"))
	//lab:end
}

// Observe takes the next event of a partition, in offset order, with its ts in ms, and returns its lag
// in ms: 0 for an event that is as new as any before it, and for the first.
func (d *Disorder) Observe(partition int32, ts int64) int64 {
	//lab:begin 1e
	panic(todo.Exercise("1e"))
	//lab:end
}

// Lags is the lags of a partition's events so far, in ms; an empty histogram if it had none.
func (d *Disorder) Lags(partition int32) Histogram {
	//lab:begin 1e
	panic(todo.Exercise("1e"))
	//lab:end
}

// Bound is the least bound, in ms, at which no event so far would have been late on any partition: the
// greatest lag of all.
func (d *Disorder) Bound() int64 {
	//lab:begin 1e
	panic(todo.Exercise("1e"))
	//lab:end
}
