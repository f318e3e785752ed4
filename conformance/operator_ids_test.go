package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/engine"
)

// TestOperatorIDs: the name that a uid's state is kept under.
func TestOperatorIDs(t *testing.T) {
	type idCase struct {
		UID        string `json:"uid"`
		OperatorID string `json:"operator_id"`
	}
	Each(t, "operator_ids.jsonl", func(t *testing.T, line int, c idCase) {
		require.Equal(t, c.OperatorID, engine.OperatorID(c.UID), "line %d: uid %q", line, c.UID)
	})
}
