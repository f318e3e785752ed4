package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"gatewaymeter/broker"
)

func init() { register(newBrokerCommand) }

func newBrokerCommand() *cobra.Command {
	var o broker.EmbeddedOptions
	cmd := &cobra.Command{
		Use:     "broker",
		GroupID: groupRun,
		Short:   "Run an embedded Kafka in a process of its own",
		Long: "Runs a Kafka on loopback until Ctrl-C. With --data it keeps its topics in a folder, and nothing that it\n" +
			"has acknowledged is lost when it is killed.",
		Example: "  go tool lab broker\n  go tool lab broker --data /tmp/kafka --port 9192",
		Args:    args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Port < 0 || o.Port > 65535 {
				return fmt.Errorf("--port %d: ask for 1 to 65535, or 0 for a free one", o.Port)
			}
			return broker.Serve(cmd.Context(), o, func(addr string) {
				fmt.Fprintf(cmd.OutOrStdout(), "Kafka listens on %s (Ctrl-C ends it)\n", addr)
			})
		},
	}
	cmd.Flags().IntVar(&o.Port, "port", 9092, "the port on 127.0.0.1; 0 takes a free one")
	cmd.Flags().StringVar(&o.DataDir, "data", "", "keep topics in this folder (default: in memory)")
	return cmd
}
