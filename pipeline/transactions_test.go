package pipeline_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/gateway"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// What the job refuses is what the oracle, which decodes by itself, calls malformed: on transactions of
// which a few bytes are changed, dropped or written twice.
func TestTransactionsAreRefusedAsTheOracleDoes(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	whole := []string{
		`{"card":"card-1","id":"t-1","amount_cents":120,"ts":1700000000000}`,
		`{"card":"card-1","id":"t-1","amount_cents":120,"ts":9007199254740991,"more":[{"card":null}]}`,
		`{"card":"card-1","id":"t-1","amount_cents":9007199254740992,"ts":1}`,
		`{"card":"card-1","id":"t-1","amount_cents":1.0,"ts":1}`,
		`{"card":"card-2","id":"t-1","amount_cents":1,"ts":1}`,
		`{"card":"card-1","id":"t-1","amount_cents":-0,"ts":0} `,
		`{"card":"card-1","id":"t-1","amount_cents":1,"ts":1,"card":"card-1"}`,
		`{"Card":"card-1","id":"t-1","amount_cents":1,"ts":1}`,
		"{\"card\":\"card-1\",\"id\":\"\xff\",\"amount_cents\":1,\"ts\":1}",
		`null`, `[]`, ``,
	}
	refused := 0
	for i := range 20_000 {
		value := []byte(whole[i%len(whole)])
		if i >= len(whole) {
			value = spoil(rng, value)
		}
		m := stream.Message{Topic: gateway.TopicTransactions, Key: []byte("card-1"), Value: value}
		_, _, err := pipeline.DecodeTransaction(m)
		v, wrong := oracle.ExpectAlerts(pipeline.OracleLog([]stream.Message{m}))
		require.NoError(t, wrong)
		require.Equal(t, v.Malformed == 1, err != nil, "seed %d, %q: the job says %v", seed, value, err)
		refused += int(v.Malformed)
	}
	require.Greater(t, refused, 5000)
	require.Less(t, refused, 19_000)
}

func spoil(rng *rand.Rand, value []byte) []byte {
	for range rng.IntN(3) {
		if len(value) == 0 {
			return value
		}
		i := rng.IntN(len(value))
		switch rng.IntN(3) {
		case 0:
			value[i] = `"{}:,.019-nt\\`[rng.IntN(14)]
		case 1:
			value = append(value[:i], value[i+1:]...)
		case 2:
			value = append(value[:i+1], value[i:]...)
		}
	}
	return value
}
