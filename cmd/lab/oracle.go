package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

func init() { register(newOracleCommand) }

// oracleFlags are what `lab oracle` is called with.
type oracleFlags struct {
	stage, partitions int
	transactions      bool
	json              bool
}

func newOracleCommand() *cobra.Command {
	var f oracleFlags
	cmd := &cobra.Command{
		Use:     "oracle FILE",
		GroupID: groupRun,
		Short:   "Work out the right invoice of a traffic file",
		Long: "Reads a file that `lab generate` wrote (- is the standard input) and prints what a correct job bills.\n" +
			"With --transactions it reads card transactions and prints the alerts. It shares no code with the job.",
		Example: "  go tool lab generate --requests 1000 --to traffic.jsonl\n  go tool lab oracle traffic.jsonl --stage 03",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("name one file, or - for the standard input: go tool lab oracle traffic.jsonl")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	stageFlag(cmd, &f.stage)
	cmd.Flags().IntVar(&f.partitions, "partitions", 4, "partitions of the topic that the file would be written to")
	cmd.Flags().BoolVar(&f.transactions, "transactions", false, "the file holds card transactions")
	cmd.Flags().BoolVar(&f.json, "json", false, "one JSON object a line: the tenants, then the counts")
	return cmd
}

func (f *oracleFlags) run(cmd *cobra.Command, path string) error {
	if f.partitions < 1 {
		return fmt.Errorf("--partitions %d: ask for at least 1", f.partitions)
	}
	messages, err := readTraffic(cmd, path)
	if err != nil {
		return err
	}
	if f.transactions {
		v, err := oracle.ExpectAlerts(pipeline.OracleLog(asLog(messages, f.partitions)))
		if err != nil {
			return err
		}
		return tellAlerts(cmd.OutOrStdout(), v, f.json)
	}
	invoice, err := pipeline.ExpectUntil(cmd.Context().Err, f.stage, gateway.TopicEvents, asLog(messages, f.partitions))
	if err != nil {
		return err
	}
	return tellInvoice(cmd.OutOrStdout(), invoice, f.json)
}

func tellAlerts(out io.Writer, v *oracle.Velocity, asJSON bool) error {
	for _, a := range v.Alerts {
		if asJSON {
			if err := printJSON(out, a); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(out, "%s  %s  %d transactions in 3 minutes\n", a.Card, time.UnixMilli(a.Minute).UTC().Format(time.RFC3339), a.Total)
	}
	if asJSON {
		return printJSON(out, map[string]int64{"events": v.Events, "malformed": v.Malformed, "alerts": int64(len(v.Alerts))})
	}
	fmt.Fprintf(out, "%d transactions: %d malformed, %d alerts\n", v.Events, v.Malformed, len(v.Alerts))
	return nil
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
	fmt.Fprintln(w, "tenant\tpriced requests\tUSD\t")
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
