// Package brokertest is what every broker must do, wherever it runs: one suite that the embedded
// broker and the one in a container both pass. It also holds what tests of brokers share.
package brokertest
