package container_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"gatewaymeter/broker/container"
	"gatewaymeter/gateway"
)

// composeFile is what this test reads of compose.yaml.
type composeFile struct {
	Services map[string]struct {
		Image       string            `yaml:"image"`
		Ports       []string          `yaml:"ports"`
		Environment map[string]string `yaml:"environment"`
		Healthcheck struct {
			Test []string `yaml:"test"`
		} `yaml:"healthcheck"`
		DependsOn map[string]struct {
			Condition string `yaml:"condition"`
		} `yaml:"depends_on"`
	} `yaml:"services"`
}

// The compose file starts the image that the tests know, on loopback only, and makes the job's topics.
func TestComposeFile(t *testing.T) {
	src, err := os.ReadFile("../../compose.yaml")
	require.NoError(t, err)
	var c composeFile
	require.NoError(t, yaml.Unmarshal(src, &c))
	for name, s := range c.Services {
		require.Equal(t, container.Image, s.Image, name)
		for _, port := range s.Ports {
			require.True(t, strings.HasPrefix(port, "127.0.0.1:"), "%s publishes %s, which is not loopback", name, port)
		}
	}
	kafka := c.Services["kafka"]
	require.Equal(t, []string{"127.0.0.1:9092:9092"}, kafka.Ports)
	require.NotEmpty(t, kafka.Healthcheck.Test)
	topics := c.Services["topics"]
	require.Equal(t, "service_healthy", topics.DependsOn["kafka"].Condition)
	require.ElementsMatch(t, []string{
		gateway.TopicEvents, gateway.TopicTransactions, gateway.TopicTotals, gateway.TopicInvoice,
		gateway.TopicDeadLetters, gateway.TopicUnpriced, gateway.TopicLate, gateway.TopicAlerts,
	}, strings.Fields(topics.Environment["TOPICS"]))
}
