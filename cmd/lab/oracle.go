package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

func init() { register(newOracleCommand) }

func newOracleCommand() *cobra.Command {
	var asJSON bool
	var stage, partitions int
	cmd := &cobra.Command{
		Use:     "oracle FILE",
		GroupID: groupRun,
		Short:   "Work out the right invoice of a traffic file",
		Long:    "Reads a file that `lab generate` wrote (- is the standard input) and prints what a correct job bills.",
		Example: "  go tool lab generate --requests 1000 --to traffic.jsonl\n  go tool lab oracle traffic.jsonl --stage 03",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if partitions < 1 {
				return fmt.Errorf("--partitions %d: ask for at least 1", partitions)
			}
			messages, err := readTraffic(cmd, args[0])
			if err != nil {
				return err
			}
			invoice, err := pipeline.Expect(stage, gateway.TopicEvents, asLog(messages, partitions))
			if err != nil {
				return err
			}
			return tellInvoice(cmd.OutOrStdout(), invoice, asJSON)
		},
	}
	stageFlag(cmd, &stage)
	cmd.Flags().IntVar(&partitions, "partitions", 4, "partitions of the topic that the file would be written to")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line: the tenants, then the counts")
	return cmd
}

// asLog gives each message the place that it would have in a topic.
func asLog(messages []generator.Message, partitions int) []stream.Message {
	next := make([]int64, partitions)
	log := make([]stream.Message, len(messages))
	for i, m := range messages {
		p := generator.PartitionOf(m.Key, partitions)
		log[i] = stream.Message{Topic: gateway.TopicEvents, Partition: p, Offset: next[p], Key: m.Key, Value: m.Value}
		next[p]++
	}
	return log
}

func tellInvoice(out io.Writer, invoice *oracle.Invoice, asJSON bool) error {
	if asJSON {
		for _, t := range invoice.Tenants {
			if err := printJSON(out, map[string]any{"tenant_id": t.TenantID, "requests": t.Requests, "usd_nano": t.Total}); err != nil {
				return err
			}
		}
		return printJSON(out, invoice.Counts)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "tenant\trequests\tUSD\t")
	for _, t := range invoice.Tenants {
		fmt.Fprintf(w, "%s\t%d\t%s\t\n", t.TenantID, t.Requests, gateway.NanoUSD(t.Total))
	}
	fmt.Fprintf(w, "total\t\t%s\t\n", gateway.NanoUSD(invoice.Counts.USDNano))
	if err := w.Flush(); err != nil {
		return err
	}
	c := invoice.Counts
	fmt.Fprintf(out, "%d events: %d malformed, %d duplicates, %d records, %d abandoned, %d unmatched, %d unpriced, %d open at the end\n",
		c.Events, c.Malformed, c.Duplicates, c.Records, c.Abandoned, c.Unmatched, c.Unpriced, c.OpenEntries)
	return nil
}
