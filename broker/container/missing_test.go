package container

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Without Docker the error says what to do, whether the client library returns one or panics.
func TestMissingDockerIsAnError(t *testing.T) {
	refused := errors.New("connection refused")
	for name, ask := range map[string]func(context.Context) error{
		"an error": func(context.Context) error { return refused },
		"a panic":  func(context.Context) error { panic(refused) },
	} {
		t.Run(name, func(t *testing.T) {
			err := dockerAnswers(t.Context(), ask)
			require.ErrorContains(t, err, "no answer from Docker: connection refused")
			require.ErrorContains(t, err, "--broker embedded")
		})
	}
	require.NoError(t, dockerAnswers(t.Context(), func(context.Context) error { return nil }))
}

// A Docker that accepts connections and is silent costs Patience, also where the library does not heed
// a context.
func TestSilentDockerIsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	asked, over := make(chan struct{}), make(chan struct{})
	defer close(over)
	go func() { <-asked; cancel() }()
	err := dockerAnswers(ctx, func(context.Context) error {
		close(asked)
		<-over
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "`docker info` must work")
	require.LessOrEqual(t, Patience, 15*time.Second)
}

func TestAdviceNamesTheImageThatMisses(t *testing.T) {
	require.Contains(t, advice(errors.New("reaper: create container: No such image: testcontainers/ryuk:0.13.0")), "TESTCONTAINERS_RYUK_DISABLED=true")
	require.Contains(t, advice(errors.New("No such image: apache/kafka:4.3.1")), "docker images")
}
