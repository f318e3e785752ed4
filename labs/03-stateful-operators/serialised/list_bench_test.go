package serialised_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/labs/03-stateful-operators/serialised"
	"gatewaymeter/stream"
)

// What the thousandth element costs: in a list state, one row; in a list that is a value, all of them.
func BenchmarkThousandthElement(b *testing.B) {
	const elements = 1000
	open := func(b *testing.B) *stream.Context {
		backend, err := serialised.New(b.TempDir(), 0, 0)
		require.NoError(b, err)
		b.Cleanup(func() { _ = backend.Close() })
		return &stream.Context{Backend: backend}
	}
	b.Run("list", func(b *testing.B) {
		c := open(b)
		list := stream.NewList(c, "list", stream.String)
		c.SetKey(0, "tenant")
		for range elements {
			list.Add("model-a")
		}
		for b.Loop() {
			list.Add("model-a")
			require.NoError(b, c.Backend.Flush())
		}
	})
	b.Run("value", func(b *testing.B) {
		c := open(b)
		value := stream.NewValue(c, "value", stream.JSON[[]string]())
		c.SetKey(0, "tenant")
		all := make([]string, elements-1)
		for i := range all {
			all[i] = "model-a"
		}
		value.Update(all)
		for b.Loop() {
			models, _ := value.Get()
			value.Update(append(models[:elements-1], "model-a"))
			require.NoError(b, c.Backend.Flush())
		}
	})
}
