// Package aloud lets an Example be seen. The testing package compares what an Example prints and shows
// it only if it is wrong; a chapter that opens with one wants it on the screen.
package aloud

import (
	"io"
	"os"
	"testing"
)

// Print shows on stderr, too, what the Example that calls it prints, if the tests run with -v:
//
//	defer aloud.Print()()
//
// must be its first line.
func Print() (stop func()) {
	if !testing.Verbose() {
		return func() {}
	}
	return tee(os.Stderr)
}

// tee copies what is written to os.Stdout until stop to w, beside where it went before.
func tee(w io.Writer) (stop func()) {
	before := os.Stdout
	from, to, err := os.Pipe()
	if err != nil {
		return func() {} // not worth a failure: the comparison goes on
	}
	os.Stdout = to
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(io.MultiWriter(before, w), from)
	}()
	return func() {
		os.Stdout = before
		_ = to.Close()
		<-done
		_ = from.Close()
	}
}
