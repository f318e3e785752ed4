package suite

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/internal/kit/suite/internal/starter"
)

// aStep is the step that the samples below fail in.
var aStep = Step{
	File: "testdata/valve.txt", Line: 7, Scene: "two inputs", Input: "idle input=1", Why: "it is not waited for",
	Past: []string{"new scene=two-inputs", "watermark input=0"},
}

func TestSamplePanicInAStep(t *testing.T) {
	sample(t, func(t *testing.T) {
		Sub(t, "scene", func(t *testing.T) { During(t, aStep, func() { starter.Nil(nil) }) })
		Sub(t, "another", func(t *testing.T) { Wrong(t, Failure{Says: "in no step"}) })
	})
}

// The harness of an operator ends a test like this, and knows of no scene.
func TestSampleErrorInAStep(t *testing.T) {
	sample(t, func(t *testing.T) {
		Sub(t, "scene", func(t *testing.T) {
			During(t, aStep, func() {
				t.Errorf("operator a: boom")
				t.FailNow()
			})
		})
	})
}

func TestSampleChecksInAStep(t *testing.T) {
	sample(t, func(t *testing.T) {
		Sub(t, "equal", func(t *testing.T) {
			During(t, aStep, func() { Equal(t, 1, 2, Failure{Says: "one is one", Input: "a record"}) })
		})
		Sub(t, "no error", func(t *testing.T) {
			During(t, aStep, func() { NoError(t, errors.New("boom"), "the restore works") })
		})
		Sub(t, "after it", func(t *testing.T) {
			During(t, aStep, func() {})
			Wrong(t, Failure{Says: "too late for the step"})
		})
	})
}

func TestSampleTodoInAStep(t *testing.T) {
	sample(t, func(t *testing.T) {
		Sub(t, "scene", func(t *testing.T) { During(t, aStep, func() { starter.Unwritten() }) })
	})
}

func TestAFailureInAStepNamesTheStep(t *testing.T) {
	const scene = "\n  scene      internal/kit/suite/testdata/valve.txt:7 (two inputs): it is not waited for\n"
	_, said := runSample(t, "TestSamplePanicInAStep")
	require.Len(t, said, 2)
	require.Contains(t, said[0].Message, "(Nil)"+scene+"  input      idle input=1\n  trace      new scene=two-inputs\n             watermark input=0")
	require.Equal(t, "WRONG 9a: in no step", said[1].Message)

	out, said := runSample(t, "TestSampleErrorInAStep")
	require.Len(t, said, 1)
	require.Equal(t, Verdict{"TestSampleErrorInAStep/scene", OutcomeWrong, "WRONG 9a: " + SeeAbove + scene + "  input      idle input=1"}, said[0])
	require.Less(t, strings.Index(out, "operator a: boom"), strings.Index(out, "valve.txt:7"))

	_, said = runSample(t, "TestSampleChecksInAStep")
	require.Len(t, said, 3)
	require.Equal(t, "WRONG 9a: one is one"+scene+"  input      a record\n  got        2\n  want       1", said[0].Message)
	require.Equal(t, "WRONG 9a: the restore works: boom"+scene+"  input      idle input=1", said[1].Message)
	require.Equal(t, "WRONG 9a: too late for the step", said[2].Message)

	_, said = runSample(t, "TestSampleTodoInAStep")
	require.Len(t, said, 1)
	require.Equal(t, OutcomeTodo, said[0].Outcome)
}

// Outside of an exercise a step is only run.
func TestAStepOutsideOfAnExercise(t *testing.T) {
	ran := false
	During(t, aStep, func() { ran = true })
	require.True(t, ran)
}
