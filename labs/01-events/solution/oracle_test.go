package events

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/oracle"
	"gatewaymeter/stream"
)

// Decode finds the faults that the oracle finds, all of them and in the same order: two decoders that
// share no code must draw the same line between an event and a dead letter.
func FuzzDecodeAgreesWithTheOracle(f *testing.F) {
	for _, value := range []string{
		completed,
		`{"event_type":"RequestStarted","request_id":"r","tenant_id":"t","model":"m","ts":-0,"payload":{"prompt_tokens":10000000}}`,
		`{"event_type":"RequestStarted","request_id":"r","tenant_id":"t","model":"m","ts":9007199254740992,"payload":{"prompt_tokens":10000001}}`,
		`{"event_type":"RequestCompleted","request_id":"\ud800","tenant_id":"","model":null,"ts":1.0,"payload":{"latency_ms":-1,"status":""}}`,
		`{"event_type":"Other","request_id":"r","payload":{"a":1,"a":2}}`,
		`{"event_type":1,"ts":"1","TS":1,"payload":[]}`, `{"ts":1,"ts":1}`, `{"payload":null}`, `{}`, `null`, ``, "{\"a\":\"\xff\"}", `{"payload":{"x":1,"x":2}`,
	} {
		f.Add([]byte("r"), []byte(value))
		f.Add([]byte("req-000000042"), []byte(value))
	}
	f.Fuzz(func(t *testing.T, key, value []byte) {
		_, err := Decode(stream.Message{Key: key, Value: value})
		var m *Malformed
		var got []string
		if errors.As(err, &m) {
			for _, fault := range m.Faults {
				got = append(got, fault.Name)
			}
		}
		truth, oracleErr := oracle.Expect([]oracle.Message{{Key: key, Value: value}}, oracle.Options{Stage: 3})
		require.NoError(t, oracleErr)
		var want []string
		for _, d := range truth.DeadLetters {
			want = append(want, d.Faults()...)
		}
		require.Equal(t, want, got, "key %q, value %q: %v", key, value, err)
	})
}
