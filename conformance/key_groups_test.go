package conformance

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	keying "gatewaymeter/labs/02-keying/solution"
	"gatewaymeter/stream"
)

// keyGroupCase is a line of key_groups.jsonl; which fields it has depends on its kind.
type keyGroupCase struct {
	Kind           string          `json:"kind"`
	Type           string          `json:"type"`
	Key            json.RawMessage `json:"key"`
	HashCode       int32           `json:"hash_code"`
	MaxParallelism int             `json:"max_parallelism"`
	KeyGroup       int             `json:"key_group"`
	OperatorIndex  map[string]int  `json:"operator_index"`
	Parallelism    int             `json:"parallelism"`
	Index          int             `json:"index"`
	Start          int             `json:"start"`
	End            int             `json:"end"`
	Size           int             `json:"size"`
}

// TestKeyGroups: hashes, key groups, owners, ranges and the default number of groups (lab 02).
func TestKeyGroups(t *testing.T) {
	Each(t, "key_groups.jsonl", func(t *testing.T, _ int, c keyGroupCase) {
		switch c.Kind {
		case "key":
			c.checkKey(t)
		case "range":
			first, last := keying.Range(c.Index, c.Parallelism, c.MaxParallelism)
			require.Equal(t, []int{c.Start, c.End, c.Size}, []int{first, last, last - first + 1})
		case "default_max_parallelism":
			require.Equal(t, c.MaxParallelism, keying.DefaultMaxParallelism(c.Parallelism))
		default:
			require.Fail(t, "unknown kind", c.Kind)
		}
	})
}

func (c keyGroupCase) checkKey(t *testing.T) {
	hash := c.hash(t)
	require.Equal(t, c.HashCode, hash, "hash of %s", c.Key)
	groups, err := keying.NewGroups(c.MaxParallelism)
	require.NoError(t, err)
	require.Equal(t, c.KeyGroup, groups.Of(hash), "key group of %s, of %d", c.Key, c.MaxParallelism)
	require.NotEmpty(t, c.OperatorIndex)
	for text, subtask := range c.OperatorIndex {
		parallelism, err := strconv.Atoi(text)
		require.NoError(t, err)
		require.Equal(t, subtask, groups.Owner(c.KeyGroup, parallelism), "owner of group %d at parallelism %d", c.KeyGroup, parallelism)
		first, last := groups.Range(subtask, parallelism)
		require.True(t, first <= c.KeyGroup && c.KeyGroup <= last, "subtask %d of %d owns %d to %d", subtask, parallelism, first, last)
	}
}

// hash is the key's hash, by its type, after a round trip through the key's encoded form.
func (c keyGroupCase) hash(t *testing.T) int32 {
	switch c.Type {
	case "string":
		return hashOf(t, keying.StringKeys, c.Key)
	case "int":
		return hashOf(t, keying.Int32Keys, c.Key)
	case "long":
		return hashOf(t, keying.Int64Keys, c.Key)
	case "bool":
		return hashOf(t, keying.BoolKeys, c.Key)
	}
	require.Fail(t, "unknown type", c.Type)
	return 0
}

func hashOf[K any](t *testing.T, keys stream.Keys[K], raw json.RawMessage) int32 {
	var key K
	require.NoError(t, json.Unmarshal(raw, &key))
	back, err := keys.Decode(keys.Encode(key))
	require.NoError(t, err)
	require.Equal(t, key, back, "the key after Encode and Decode")
	return keys.Hash(back)
}
