package lab02_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gatewaymeter/gateway"
	"gatewaymeter/internal/kit/suite"
	keying "gatewaymeter/labs/02-keying/starter"
)

func requestID(e gateway.Event) string { return e.RequestID }

// salted gives its salts one after the other.
func salted(salts ...string) func(gateway.Event) string {
	i := -1
	return func(e gateway.Event) string {
		i++
		return e.RequestID + salts[i%len(salts)]
	}
}

// Test2e: Key check: a selector that is no function of the record is refused (15 min)
func Test2e(t *testing.T) {
	suite.Exercise(t, "2e", func(t *testing.T) {
		r1, r2 := gateway.Event{RequestID: "r-1", TenantID: "tenant-1"}, gateway.Event{RequestID: "r-2", TenantID: "tenant-1"}
		suite.Sub(t, "functions pass", func(t *testing.T) {
			for _, e := range []gateway.Event{r1, r2, r1, {}} {
				key, err := keying.CheckKey(requestID, e)
				suite.NoError(t, err, "the request id is a function of the event, an empty one too")
				suite.Equal(t, e.RequestID, key, suite.Failure{Says: "CheckKey must give the selector's key", Input: fmt.Sprintf("%+v", e)})
			}
		})
		suite.Sub(t, "two keys for one record are refused and shown", func(t *testing.T) {
			_, err := keying.CheckKey(salted("#0", "#1"), r1)
			var refused *keying.KeyError
			if !errors.As(err, &refused) {
				suite.Wrong(t, suite.Failure{Says: "the selector gives r-1#0, then r-1#1, and passes", Input: fmt.Sprintf("%+v", r1), Got: fmt.Sprint(err), Want: "a *KeyError"})
			}
			suite.Equal(t, [2]string{"r-1#0", "r-1#1"}, [2]string{refused.First, refused.Second}, suite.Failure{Says: "the error must show the two keys, in the order in which they came"})
			suite.Equal(t, any(r1), refused.Record, suite.Failure{Says: "the error must show the record"})
			for _, part := range []string{"r-1#0", "r-1#1", "tenant-1"} {
				if !strings.Contains(err.Error(), part) {
					suite.Wrong(t, suite.Failure{Says: "the message must show both keys and the record", Got: err.Error(), Want: part})
				}
			}
		})
		suite.Sub(t, "it is asked anew for each record", func(t *testing.T) {
			sometimes := salted("#0", "#0", "#0", "#1") // right for the first record, wrong for the second
			_, err := keying.CheckKey(sometimes, r1)
			suite.NoError(t, err, "for the first record both keys are r-1#0")
			_, err = keying.CheckKey(sometimes, r1)
			if err == nil {
				suite.Wrong(t, suite.Failure{Says: "the second record gets r-1#0, then r-1#1: one look at the first record is not enough"})
			}
		})
		suite.Sub(t, "a watched selector gives the same keys", func(t *testing.T) {
			watched := keying.Checked(requestID)
			suite.Equal(t, [2]string{"r-1", "r-2"}, [2]string{watched(r1), watched(r2)}, suite.Failure{Says: "Checked must give the selector's keys"})
			defer func() {
				if err, ok := recover().(*keying.KeyError); !ok || err.Second != "r-1#1" {
					suite.Wrong(t, suite.Failure{Says: "Checked must panic with the *KeyError of CheckKey", Got: fmt.Sprint(err)})
				}
			}()
			keying.Checked(salted("#0", "#1"))(r1)
		})
	})
}
