package generator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/gateway"
)

func TestCheckAcceptsWhatIsGenerated(t *testing.T) {
	each(t, func(t *testing.T, p Params) {
		messages, counts := generate(p)
		require.NoError(t, Check(messages, p.Bound, p.DuplicateWithin))
		require.NoError(t, Check(Shuffle(messages, p.Seed, p.Bound), p.Bound, p.DuplicateWithin))

		var others int64
		for _, m := range messages {
			e, ok := EventOf(m)
			if !ok {
				others++
				continue
			}
			require.Equal(t, m, NewMessage(e))
		}
		require.Equal(t, counts.Malformed, others)
	})
}

func TestCheckNamesTheRule(t *testing.T) {
	started := func(id string, ts int64) Message {
		return NewMessage(gateway.Event{Type: gateway.RequestStarted, RequestID: id, TenantID: "t", Model: "m", TS: ts, PromptTokens: 1})
	}
	completed := func(id string, ts int64) Message {
		return NewMessage(gateway.Event{Type: gateway.RequestCompleted, RequestID: id, TenantID: "t", Model: "m", TS: ts, Status: "ok"})
	}
	for why, messages := range map[string][]Message{
		"message 0 breaks G1":                            {{Value: []byte("ping")}},
		"G2: it does not take any time":                  {started("a", 5), completed("a", 5)},
		"G2: a reversal of 6000 ms":                      {completed("a", 6000), started("a", 0)},
		"RequestStarted of b, breaks G3: it lags 5001":   {started("a", 6001), started("b", 1000)},
		"G3: it lags 295002":                             {started("a", 0), started("b", 305_001), completed("a", 9_999)},
		"G3: it lags 5002":                               {started("a", 0), started("b", 305_002), completed("a", 300_000)},
		"G4: its bytes are not those of the first":       {started("a", 5), started("a", 6)},
		"message 2, RequestStarted of a, breaks G4: a d": {started("a", 0), started("b", 60_001), started("a", 0)},
	} {
		require.ErrorContains(t, Check(messages, 5*time.Second, time.Minute), why)
	}
	require.NoError(t, Check([]Message{
		started("a", 0), started("b", 305_000), completed("a", 9_999), // G5: the watermark is at most 299999
	}, 5*time.Second, time.Minute))
}
