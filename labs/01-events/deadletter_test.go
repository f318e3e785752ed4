package lab01_test

import (
	"errors"
	"testing"

	"gatewaymeter/gateway"
	"gatewaymeter/internal/kit/suite"
	events "gatewaymeter/labs/01-events/starter"
	"gatewaymeter/stream"
)

// Test1c: Dead letters: the raw bytes, the reason, the place (15 min)
func Test1c(t *testing.T) {
	suite.Exercise(t, "1c", func(t *testing.T) {
		suite.Sub(t, "bytes, reason and place are kept", func(t *testing.T) {
			raw := "{\"ts\":\xff\x00 not text, not JSON"
			got := events.NewDeadLetter(message("run-1.gateway-events", 3, 8124, raw), errors.New("because of this"))
			suite.Equal(t, gateway.DeadLetter{
				Raw: []byte(raw), Reason: "because of this", Topic: "run-1.gateway-events", Partition: 3, Offset: 8124,
			}, got, suite.Failure{Says: "a dead letter must let somebody find the message, mend it and send it again", Input: raw})
		})
		suite.Sub(t, "the first message of the first partition has a place too", func(t *testing.T) {
			got := events.NewDeadLetter(message("t", 0, 0, "x"), errors.New("y"))
			suite.Equal(t, gateway.DeadLetter{Raw: []byte("x"), Reason: "y", Topic: "t"}, got, suite.Failure{Says: "partition 0, offset 0 is a place"})
		})
		suite.Sub(t, "the reason has every fault", func(t *testing.T) {
			m := message("t", 0, 5, `{"event_type":"RequestCompleted","ts":-1}`)
			err := &events.Malformed{Faults: []events.Fault{{Name: "request_id", Why: "missing"}, {Name: "ts", Why: "must be from 0 up"}}}
			got := events.NewDeadLetter(m, err)
			suite.Equal(t, err.Error(), got.Reason, suite.Failure{Says: "the reason is not all that the error says", Input: string(m.Value)})
		})
		suite.Sub(t, "the bytes are its own", func(t *testing.T) {
			m := message("t", 0, 5, "broken")
			got := events.NewDeadLetter(m, errors.New("y"))
			copy(m.Value, "XXXXXX") // the log reads the next message into the same buffer
			suite.Equal(t, "broken", string(got.Raw), suite.Failure{
				Says: "the dead letter changed when the log used its buffer again: it holds the log's memory, not its own", Input: "broken",
			})
		})
		suite.Sub(t, "a message without a value is kept", func(t *testing.T) {
			got := events.NewDeadLetter(stream.Message{Topic: "t", Partition: 1, Offset: 9}, errors.New("no value"))
			suite.Equal(t, 0, len(got.Raw), suite.Failure{Says: "a message without a value has no bytes"})
			suite.Equal(t, int64(9), got.Offset, suite.Failure{Says: "a message without a value has a place all the same"})
		})
	})
}

func message(topic string, partition int32, offset int64, value string) stream.Message {
	return stream.Message{Topic: topic, Partition: partition, Offset: offset, Value: []byte(value)}
}
