package events

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"gatewaymeter/stream"
)

const completed = `{"event_type":"RequestCompleted","request_id":"req-000000042","tenant_id":"tenant-17","model":"model-a","ts":1764480000123,"payload":{"completion_tokens":512,"latency_ms":8412,"status":"ok"}}`

func BenchmarkDecode(b *testing.B) {
	m := stream.Message{Key: []byte("req-000000042"), Value: []byte(completed)}
	b.ReportAllocs()
	b.SetBytes(int64(len(m.Value)))
	for b.Loop() {
		if _, err := Decode(m); err != nil {
			b.Fatal(err)
		}
	}
}

// The scanner and encoding/json agree on what an object is, on its names and on its values.
func FuzzScannerAgreesWithEncodingJSON(f *testing.F) {
	for _, s := range []string{
		completed, `{}`, ` { "a" : [ 1 , -0.5e+3 , { "b" : null } ] } `, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`,
		`{"a":"\ud83d\ude00\ud800\n"}`, `{"a":01}`, `{"a":1.}`, `{"a":.5}`, `{"a":-}`, `{"a":"` + "\x01" + `"}`,
		`{"a":tru}`, `{"a":1,}`, `{,}`, `{"a"}`, `{1:2}`, `[]`, `null`, `{"a":[}`, `{"a":1} x`, ``, `{"a":"\x"}`, `{"a":"\u12g4"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		if !utf8.Valid(value) {
			return // Parse refuses it before it scans
		}
		trimmed := bytes.TrimLeft(value, " \t\r\n")
		isObject := json.Valid(value) && len(trimmed) > 0 && trimmed[0] == '{'
		s := Scan(value)
		names, values, twice := map[string]json.RawMessage{}, 0, false
		for s.Next() {
			_, again := names[string(s.Name())]
			twice = twice || again
			names[string(s.Name())] = s.value
			values++
		}
		if !isObject {
			require.ErrorContains(t, s.Err(), "JSON", "%q", value)
			return
		}
		if twice {
			require.ErrorContains(t, s.Err(), "twice", "%q", value)
		} else {
			require.NoError(t, s.Err(), "%q", value)
		}
		var want map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(value, &want))
		require.Len(t, names, len(want))
		for name, raw := range want {
			require.JSONEq(t, string(raw), string(names[name]), "%q in %q", name, value)
		}
	})
}
