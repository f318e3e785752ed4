package keying

import (
	"gatewaymeter/gateway"
	"gatewaymeter/stream"
	"gatewaymeter/todo" // made from ../solution by "go tool lab starters"; this file is yours to edit
)

// SaltTest is investigation 2.1: a test of the key by which events go to the operator that pairs them.
//
// t must fail if keyOf can send the two events of one request to different keys, or two requests to one
// key: the operator remembers one open request a key. It must not fail for the request id, nor for any
// other text that stands for it one to one. Choose the events that it tries; events of one request
// differ in type, time and payload, and a salt may hang on any of them, or on chance.
func SaltTest(t stream.TestingT, keyOf func(gateway.Event) string) {
	//lab:begin 2.1
	panic(todo.Exercise("2.1"))
	//lab:end
}

// Move is a key group that changes its subtask.
type Move struct{ Group, From, To int }

// Moving is investigation 2.2: the key groups, of max, that change their subtask when an operator goes
// from one parallelism to another, by ascending group. Their state has to travel; all other groups stay
// where they are.
func Moving(max, from, to int) []Move {
	//lab:begin 2.2
	panic(todo.Exercise("2.2"))
	//lab:end
}
