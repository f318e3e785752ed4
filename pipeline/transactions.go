package pipeline

import (
	"fmt"
	"unicode/utf8"

	"gatewaymeter/gateway"
	events "gatewaymeter/labs/01-events/solution"
	"gatewaymeter/stream"
)

// DecodeTransaction reads a message of card-transactions. It has the rules of the gateway's events (lab
// 01): valid UTF-8, one JSON object, no member twice, whole numbers from 0 to events.MaxInteger, and the
// message's key is the card. The first fault is all that the error names: a transaction has no dead
// letters, only a counter.
func DecodeTransaction(m stream.Message) (gateway.Transaction, stream.Time, error) {
	if !utf8.Valid(m.Value) {
		return gateway.Transaction{}, 0, fmt.Errorf("the value has bytes that are no text")
	}
	var card, id events.Text
	var amount, ts events.Integer
	object := events.Scan(m.Value)
	for object.Next() {
		switch string(object.Name()) {
		case "card":
			card = object.Text()
		case "id":
			id = object.Text()
		case "amount_cents":
			amount = object.Integer()
		case "ts":
			ts = object.Integer()
		}
	}
	switch {
	case object.Err() != nil:
		return gateway.Transaction{}, 0, object.Err()
	case card.Value == "" || id.Value == "":
		return gateway.Transaction{}, 0, fmt.Errorf("card and id must be strings, not empty")
	case !counts(amount) || !counts(ts):
		return gateway.Transaction{}, 0, fmt.Errorf("amount_cents and ts must be whole numbers from 0 to %d", int64(events.MaxInteger))
	case card.Value != string(m.Key):
		return gateway.Transaction{}, 0, fmt.Errorf("the message's key is not its card")
	}
	return gateway.Transaction{Card: card.Value, ID: id.Value, Amount: amount.Value, TS: ts.Value}, stream.Time(ts.Value), nil
}

// counts reports whether a field holds a whole number in range.
func counts(i events.Integer) bool {
	return i.State == events.Good && i.Value >= 0 && i.Value <= events.MaxInteger
}

// refuseTransaction leaves a malformed transaction to the source's counter "malformed".
func refuseTransaction(c *stream.Context, m stream.Message, err error) {
	c.Drop("malformed transaction: "+err.Error(), m.Offset)
}
