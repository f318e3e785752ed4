package generator

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/gateway"
	"gatewaymeter/oracle"
)

func TestTransactions(t *testing.T) {
	for seed := range *seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			p := DefaultTransactions(600, seed)
			messages, bursts := NewTransactions(p)
			require.Len(t, messages, p.Transactions)
			require.NotEmpty(t, bursts)
			again, _ := NewTransactions(p)
			require.Equal(t, messages, again)

			high, disorder := int64(-1), 0
			for _, m := range messages {
				var tx gateway.Transaction
				require.NoError(t, json.Unmarshal(m.Value, &tx))
				must(t, tx.Card == string(m.Key) && tx.TS == m.TS, "%s has key %q and TS %d", m.Value, m.Key, m.TS)
				must(t, high-tx.TS <= p.Bound.Milliseconds(), "%s lags %d ms", m.Value, high-tx.TS)
				if tx.TS < high {
					disorder++
				}
				high = max(high, tx.TS)
			}
			require.Positive(t, disorder)

			v, err := oracle.ExpectAlerts(logOf(messages, 3))
			require.NoError(t, err)
			require.Zero(t, v.Malformed)
			checkAlerts(t, bursts, v.Alerts)
		})
	}
}

// checkAlerts: each burst alerts in its minute, and whatever alerts is within two minutes of a burst.
func checkAlerts(t *testing.T, bursts []Burst, alerts []oracle.Alert) {
	t.Helper()
	total := map[string]int64{}
	for _, a := range alerts {
		total[fmt.Sprint(a.Card, a.Minute)] = a.Total
	}
	near := map[string]bool{}
	for _, b := range bursts {
		require.GreaterOrEqual(t, total[fmt.Sprint(b.Card, b.Minute)], int64(b.Count), "%+v", b)
		for m := range int64(3) {
			near[fmt.Sprint(b.Card, b.Minute+m*60_000)] = true
		}
	}
	for _, a := range alerts {
		require.True(t, near[fmt.Sprint(a.Card, a.Minute)], "%+v has no burst", a)
	}
}

func TestQuietCardsRaiseNoAlert(t *testing.T) {
	p := DefaultTransactions(2000, 1)
	p.Bursts = 0
	messages, bursts := NewTransactions(p)
	require.Empty(t, bursts)
	v, err := oracle.ExpectAlerts(logOf(messages, 1))
	require.NoError(t, err)
	require.Empty(t, v.Alerts)
}

func TestTransactionParams(t *testing.T) {
	for field, spoil := range map[string]func(*TransactionParams){
		"Transactions": func(p *TransactionParams) { p.Transactions = -1 },
		"Cards":        func(p *TransactionParams) { p.Cards = 0 },
		"Bound":        func(p *TransactionParams) { p.Bound = -1 },
		"Start":        func(p *TransactionParams) { p.Start = 0 },
		"Disorder":     func(p *TransactionParams) { p.Disorder = 2 },
		"Bursts":       func(p *TransactionParams) { p.Bursts = -1 },
	} {
		p := DefaultTransactions(10, 1)
		spoil(&p)
		require.ErrorContains(t, p.Validate(), "generator: "+field)
	}
}
