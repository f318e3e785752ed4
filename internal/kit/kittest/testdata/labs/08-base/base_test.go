package lab08_test

import (
	"testing"

	"gatewaymeter/internal/kit/suite"
	base "gatewaymeter/labs/08-base/starter"
)

// Test8a: The number one (5 min)
func Test8a(t *testing.T) {
	suite.Exercise(t, "8a", func(t *testing.T) {
		suite.Equal(t, 1, base.One(), suite.Failure{Says: "One is not one"})
	})
}
