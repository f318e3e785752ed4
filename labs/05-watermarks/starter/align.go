package watermarks

import "gatewaymeter/todo" // made from ../solution by "go tool lab starters"; this file is yours to edit

// Paused lists, by ascending id, the splits that should not be read for now: the watermark of each is
// more than the drift ahead of the least. nil if alignment is off or nobody has to wait. The slice is
// valid until the next call; call it before each poll, since it looks at the elements read so far.
//
// The least is taken over the splits that are neither idle nor finished and that have had an element:
// a split without any has no watermark that others could be ahead of, and waiting for it might never
// end. A drift that does not fit into an int64 holds nobody back.
//
// What is paused is remembered in the split, for probe.
func (s *Splits) Paused() []int {
	if s.drift == 0 {
		return nil
	}
	return s.ahead()
}

// ahead is Paused where alignment is on.
func (s *Splits) ahead() []int {
	//lab:begin 5e
	panic(todo.Exercise("5e"))
	//lab:end
}

//lab:begin 5e

// What 5e needs besides goes here.

//lab:end
