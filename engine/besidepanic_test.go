package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/stream"
	"gatewaymeter/todo"
)

// panicking is a coordinator and a store of which one method panics.
type panicking struct {
	stream.Coordinator
	stream.CheckpointStore
	in   string
	with any
}

func (p panicking) when(in string) {
	if p.in == in {
		panic(p.with)
	}
}

func (p panicking) Tick(now stream.Time) stream.Decision {
	p.when("Tick")
	return p.Coordinator.Tick(now)
}

func (p panicking) Ack(checkpoint int64, task int, now stream.Time) stream.Decision {
	p.when("Ack")
	return p.Coordinator.Ack(checkpoint, task, now)
}

func (p panicking) Part(checkpoint int64, part stream.OperatorSnapshot) error {
	p.when("Part")
	return p.CheckpointStore.Part(checkpoint, part)
}

func (p panicking) Complete(c stream.Checkpoint) error {
	p.when("Complete")
	return p.CheckpointStore.Complete(c)
}

// A panic in the coordinator or in the store ends the job with a failure that says so, and not the process.
func TestAPanicBesideTheTasksEndsTheJob(t *testing.T) {
	run := func(t *testing.T, p panicking) error {
		store, err := checkpoints.NewStore(checkpoints.NewMemDisk(), 1)
		require.NoError(t, err)
		p.CheckpointStore = store
		parts := takesParts()
		parts.Coordinator = func(cfg stream.Checkpointing, tasks int) stream.Coordinator {
			p.Coordinator = checkpoints.NewCoordinator(cfg, tasks)
			return p
		}
		j := engine.NewJob("panicking", parts, 1)
		s := engine.From(j, "numbers", func() stream.Source[word] { return &numbers{total: 1, keys: 1, stall: true} })
		engine.SinkTo(s, "sink", (&results{}).sink)
		_, err = j.Run(t.Context(), engine.Options{
			Checkpoints: &engine.Checkpoints{Store: p, Config: stream.Checkpointing{Interval: 1}},
		})
		return err
	}
	for _, in := range []string{"Tick", "Ack", "Part", "Complete"} {
		t.Run(in, func(t *testing.T) {
			err := run(t, panicking{in: in, with: "nobody expects this"})
			var f *engine.Failure
			require.ErrorAs(t, err, &f)
			require.Empty(t, f.UID)
			require.ErrorContains(t, err, "beside the operators: panic: nobody expects this\ngatewaymeter/engine_test.panicking.when(")
			require.NotContains(t, err.Error(), "gatewaymeter/engine.")

			unwritten, ok := todo.Of(run(t, panicking{in: in, with: todo.Exercise("9z")}))
			require.True(t, ok)
			require.Equal(t, "9z", unwritten.Exercise)
		})
	}
}
