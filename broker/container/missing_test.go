package container

import (
	"context"
	"errors"
	"testing"

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
			require.ErrorContains(t, err, "Docker does not answer: connection refused")
			require.ErrorContains(t, err, "--broker embedded")
		})
	}
	require.NoError(t, dockerAnswers(t.Context(), func(context.Context) error { return nil }))
}
