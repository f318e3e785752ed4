// Package inspect lets one process on this machine ask another how its job stands.
//
// A run that wants to be asked calls [Publish]: it answers on an address of the loopback interface, and
// leaves a note of that address in a folder that only this user may read. [Find] reads the notes, asks
// each address whether the run of the note is still there, and takes the notes of dead runs away: a
// process that was killed cannot do so itself. [Ask] gets the answer of one address.
//
// The package promises that an answer comes from the run that the note is of, whoever listens on the
// port by now, and that nobody but this machine can ask. It leaves to others what is asked and shown
// (package pipeline, Why).
package inspect

import (
	"time"

	"gatewaymeter/pipeline"
)

// Job is what a note and an answer say about a run.
type Job struct {
	ID      string    `json:"id"` // of this run, never used again
	Address string    `json:"address"`
	PID     int       `json:"pid"`
	Name    string    `json:"name"`
	Topic   string    `json:"topic"` // of its events
	Started time.Time `json:"started"`
}

// Answer is how a job stands at this moment.
type Answer struct {
	Job
	Waiting []pipeline.Waiting `json:"waiting"` // every subtask with channels, in the order of the graph
}
