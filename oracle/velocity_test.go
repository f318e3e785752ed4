package oracle

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func pay(s *script, partition int32, card string, at int64) {
	s.message(partition, card, fmt.Sprintf(`{"card":%q,"id":"t-%d","amount_cents":5,"ts":%d}`, card, len(s.log), t0+at))
}

// TestAlertsByHand: minutes 0, 1, 2 hold 2, 3 and 2 transactions of c-1. The sixth makes an alert with 6,
// the seventh one with 7, both for minute 2. In minute 3 the first two no longer count: 3 + 2 + 1 = 6.
// In minute 4 two more make 2 + 1 + 2 = 5, which is not more than five.
func TestAlertsByHand(t *testing.T) {
	s := &script{}
	for _, at := range []int64{0, 59_999, 60_000, 60_001, 60_002, 120_000, 179_999, 180_000, 240_000, 240_001} {
		pay(s, 0, "c-1", at)
	}
	v, err := ExpectAlerts(s.log)
	require.NoError(t, err)
	require.Equal(t, []Alert{{"c-1", t0 + 120_000, 7}, {"c-1", t0 + 180_000, 6}}, v.Alerts)

	require.Empty(t, v.CheckAlerts([]Alert{{"c-1", t0 + 120_000, 6}, {"c-1", t0 + 180_000, 6}, {"c-1", t0 + 120_000, 7}, {"c-1", t0 + 120_000, 6}}))
	require.Len(t, v.CheckAlerts([]Alert{{"c-1", t0 + 120_000, 6}, {"c-1", t0 + 180_000, 6}}), 1, "the seventh is missing")
	require.Len(t, v.CheckAlerts(append(v.Alerts, Alert{"c-2", t0, 6})), 1)
	require.Len(t, v.CheckAlerts(nil), 2)
}

// TestAlertsFollowTheLog: what comes after in the log is not counted before, whatever its ts.
func TestAlertsFollowTheLog(t *testing.T) {
	s := &script{}
	for range 5 {
		pay(s, 0, "c-1", 60_000)
	}
	pay(s, 0, "c-1", 0) // out of order: its own minute has one
	v, err := ExpectAlerts(s.log)
	require.NoError(t, err)
	require.Empty(t, v.Alerts)

	pay(s, 0, "c-1", 60_000) // now minute 1 sees 6, and the one before it
	v, err = ExpectAlerts(s.log)
	require.NoError(t, err)
	require.Equal(t, []Alert{{"c-1", t0 + 60_000, 7}}, v.Alerts)
}

func TestMalformedTransactions(t *testing.T) {
	s := &script{}
	for _, value := range []string{
		``, `[]`, "{\"card\":\"c\",\"id\":\"\xff\",\"amount_cents\":1,\"ts\":1}",
		`{"card":"d","id":"a","amount_cents":1,"ts":1}`,
		`{"card":"c","id":"","amount_cents":1,"ts":1}`,
		`{"card":"c","id":"a","amount_cents":1.5,"ts":1}`,
		`{"card":"c","id":"a","amount_cents":1,"ts":-1}`,
	} {
		s.message(0, "c", value)
	}
	v, err := ExpectAlerts(s.log)
	require.NoError(t, err)
	require.Equal(t, int64(len(s.log)), v.Malformed)

	pay(s, 0, "c-1", 0)
	pay(s, 1, "c-1", 0)
	_, err = ExpectAlerts(s.log)
	require.ErrorContains(t, err, `card "c-1" is in partitions 0 and 1`)
}
