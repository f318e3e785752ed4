package lab04_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatewaymeter/harness"
	"gatewaymeter/internal/kit/suite"
	"gatewaymeter/internal/kit/timeline"
	ours "gatewaymeter/labs/04-windows/solution"
	windows "gatewaymeter/labs/04-windows/starter"
	"gatewaymeter/stream"
)

// The timelines of this lab are about letters: an element is a letter with a key and a time, and a
// window's result spells the letters that are in it, between < and >. So a line such as
//
//	k [10ms, 20ms) <ab> @19ms
//
// says which elements a window held when it fired, and what its output was stamped with.

// letter is an element.
type letter struct{ key, is string }

// spelling is the aggregate. Create and Result leave their marks, so that leaving one out shows.
type spelling struct{}

func (spelling) Create() string                  { return "<" }
func (spelling) Add(acc *string, in letter)      { *acc += in.is }
func (spelling) Result(acc string) string        { return acc + ">" }
func (spelling) Merge(acc *string, other string) { *acc += strings.TrimPrefix(other, "<") }

var lateLetters = stream.Tag[letter]{Name: "late-letters"}

func span(w stream.Window) string {
	return fmt.Sprintf("[%s, %s)", timeline.Clock(w.Start), timeline.Clock(w.End))
}

// word is what a window spells.
func word(_ *stream.Context, w stream.Window, key, spells string, out stream.Collector[string]) {
	out.Collect(fmt.Sprintf("%s %s %s", key, span(w), spells))
}

// setting is how the student's operator is made.
type setting struct {
	assigner  windows.Assigner
	retention windows.Retention
	noSide    bool // late elements have no side output
}

type letters = harness.Keyed[letter, string]

// open makes the student's operator on the harness.
func (s setting) open(t *testing.T, opts ...harness.Option) *letters {
	t.Helper()
	config := windows.Config[letter, string, string, string]{
		Assigner: s.assigner, Aggregate: spelling{}, Codec: stream.String, Function: word, Retention: s.retention,
	}
	if !s.noSide {
		config.Late = lateLetters
	}
	opts = append(opts, harness.Named("window"), harness.WithTrace())
	return harness.NewKeyed(t, parts(t), func(l letter) string { return l.key }, windows.New(config), opts...)
}

// The assigners that the operator is given are ours, so that only the operator is under test.

func tumbling(t *testing.T, size time.Duration) windows.Assigner {
	t.Helper()
	a, err := ours.NewTumbling(size, 0)
	suite.Harness(t, err)
	return a
}

func sliding(t *testing.T, size, slide time.Duration) windows.Assigner {
	t.Helper()
	a, err := ours.NewSliding(size, slide, 0)
	suite.Harness(t, err)
	return a
}

func session(t *testing.T, gap time.Duration) windows.Assigner {
	t.Helper()
	a, err := ours.NewSession(gap)
	suite.Harness(t, err)
	return a
}

const unit = time.Millisecond
