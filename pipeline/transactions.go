package pipeline

import (
	"encoding/json"
	"errors"

	"gatewaymeter/gateway"
	"gatewaymeter/stream"
)

// decodeTransaction reads a message of card-transactions. The velocity check is a side show of lab
// 06: decoding is lab 01's topic, so this is short.
func decodeTransaction(m stream.Message) (gateway.Transaction, stream.Time, error) {
	var t gateway.Transaction
	if err := json.Unmarshal(m.Value, &t); err != nil {
		return t, 0, err
	}
	if t.Card == "" || t.TS < 0 {
		return t, 0, errors.New("card must not be empty and ts not negative")
	}
	return t, stream.Time(t.TS), nil
}

// refuseTransaction leaves a malformed transaction to the source's counter "malformed".
func refuseTransaction(c *stream.Context, m stream.Message, err error) {
	c.Drop("malformed transaction: "+err.Error(), m.Offset)
}
