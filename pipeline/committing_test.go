package pipeline

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/stream"
)

// lossy is a checkpoint store that cannot write the manifest of checkpoint 2.
type lossy struct{ stream.CheckpointStore }

var errLossy = errors.New("the manifest cannot be written")

func (lossy) Complete(c stream.Checkpoint) error {
	if c.ID == 2 {
		return errLossy
	}
	return nil
}

// Kafka is told of complete checkpoints only: of one that has failed the job does not read on.
func TestAFailedCheckpointCommitsNothing(t *testing.T) {
	told := make(chan []stream.Split, 3)
	c := commitOffsets(lossy{}, func(splits []stream.Split) error {
		told <- splits
		return nil
	}, func(err error) { t.Error(err) })
	c.final = []stream.Split{{Topic: "events", Next: 7}}
	require.NoError(t, c.Complete(stream.Checkpoint{ID: 1}))
	require.Equal(t, c.final, <-told)
	require.ErrorIs(t, c.Complete(stream.Checkpoint{ID: 2}), errLossy)
	c.stop()
	require.Empty(t, told)
}
