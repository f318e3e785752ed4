package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"gatewaymeter/broker"
	"gatewaymeter/generator"
	"gatewaymeter/internal/scratch"
)

func init() { register(newGenerateCommand) }

// generateFlags are what `lab generate` is called with.
type generateFlags struct {
	requests, tenants int
	seed              uint64
	to, broker        string
	partitions        int
	transactions      bool
	json              bool
}

func newGenerateCommand() *cobra.Command {
	var f generateFlags
	cmd := &cobra.Command{
		Use:     "generate",
		GroupID: groupRun,
		Short:   "Make gateway traffic from a seed, into a file or a topic",
		Long: "Makes the traffic that `run` uses: the same seed and parameters give the same bytes. A file's last line\n" +
			"says how many messages there are, so that a cut-off file is noticed. A name with a slash or a dot in it\n" +
			"is a file, any other a topic; what is in a topic already stays before it.",
		Example: "  go tool lab generate --requests 1000 --to traffic.jsonl\n" +
			"  go tool lab generate --to gateway-events --broker localhost:9092\n" +
			"  go tool lab generate --requests 1000 | go tool lab oracle -",
		Args: args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.IntVar(&f.requests, "requests", 20000, "requests to generate (card transactions with --transactions)")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the traffic")
	flags.IntVar(&f.tenants, "tenants", 50, "tenants to generate")
	flags.StringVar(&f.to, "to", "", "the file or topic (default: the standard output, and the counts on stderr)")
	flags.StringVar(&f.broker, "broker", "localhost:9092", "the broker of a topic: HOST:PORT")
	flags.IntVar(&f.partitions, "partitions", 4, "partitions of a topic that is made")
	flags.BoolVar(&f.transactions, "transactions", false, "card transactions, for the velocity check")
	flags.BoolVar(&f.json, "json", false, "the counts as one JSON object")
	return cmd
}

func (f *generateFlags) run(cmd *cobra.Command) error {
	if f.requests < 1 {
		return fmt.Errorf("--requests %d: ask for at least 1", f.requests)
	}
	messages, counts, err := f.messages()
	if err != nil {
		return err
	}
	counted := cmd.OutOrStdout()
	switch {
	case f.to == "":
		counted = cmd.ErrOrStderr()
		err = generator.WriteAll(cmd.Context(), cmd.OutOrStdout(), messages)
	case isFile(f.to):
		err = generator.WriteFileUntil(cmd.Context(), f.to, messages)
	default:
		err = f.produce(cmd, messages)
	}
	if err != nil {
		return err
	}
	if f.json {
		return printJSON(counted, counts())
	}
	_, err = fmt.Fprintf(counted, "%s: %v", cmp.Or(f.to, "stdout"), counts())
	return err
}

func isFile(to string) bool {
	return strings.ContainsRune(to, filepath.Separator) || strings.ContainsRune(to, '/') || strings.ContainsRune(to, '.')
}

// messages is what to write, and after that the truth about it.
func (f *generateFlags) messages() (iter.Seq[generator.Message], func() any, error) {
	if f.transactions {
		p := generator.DefaultTransactions(f.requests, f.seed)
		if err := p.Validate(); err != nil {
			return nil, nil, err
		}
		messages, bursts := generator.NewTransactions(p)
		return slices.Values(messages), func() any { return transactionCounts{len(messages), len(bursts)} }, nil
	}
	p := generator.Default(f.requests, f.seed)
	p.Tenants = f.tenants
	if err := p.Validate(); err != nil {
		return nil, nil, trafficError(err)
	}
	g := generator.New(p)
	return g.All(), func() any { return trafficCounts(g.Counts()) }, nil
}

// transactionCounts is the truth about card transactions.
type transactionCounts struct {
	Transactions int `json:"transactions"`
	Bursts       int `json:"bursts"`
}

func (c transactionCounts) String() string {
	return fmt.Sprintf("%d transactions, %d bursts of one card within a minute\n", c.Transactions, c.Bursts)
}

// trafficCounts is the truth about gateway traffic.
type trafficCounts generator.Counts

func (c trafficCounts) String() string {
	return fmt.Sprintf("%d messages of %d requests\n"+
		"  messages  %d malformed, %d duplicates, %d out of order\n"+
		"  requests  %d never completed, %d never started, %d reversed, %d longer than five minutes, %d of an unknown model, %d with an error\n",
		c.Messages, c.Requests, c.Malformed, c.DuplicateStarted+c.DuplicateCompleted, c.Disordered,
		c.NeverCompleted, c.NeverStarted, c.Reversed, c.Long, c.UnknownModel, c.ErrorStatus)
}

// produce writes to a topic.
func (f *generateFlags) produce(cmd *cobra.Command, messages iter.Seq[generator.Message]) error {
	if f.partitions < 1 {
		return fmt.Errorf("--partitions %d: ask for at least 1", f.partitions)
	}
	if f.broker == "embedded" || f.broker == "container" {
		return fmt.Errorf("--broker %s would take the topic with it when this command ends: start one that stays with `go tool lab broker`, and name it as HOST:PORT", f.broker)
	}
	b, err := openBroker(cmd.Context(), f.broker)
	var refused *broker.UnreachableError
	if errors.As(err, &refused) && errors.Is(err, syscall.ECONNREFUSED) { // an embedded one, as advised elsewhere, is of no use here
		refused.Advice = "Start one with `go tool lab broker` or `docker compose up`, or correct the address"
	}
	if err != nil {
		return fmt.Errorf("%q is taken for a topic (a file has a dot or a slash in its name): %w", f.to, err)
	}
	defer b.Close()
	if err := b.CreateTopic(f.to, int32(f.partitions)); err != nil {
		return err
	}
	p, err := b.NewProducer()
	if err != nil {
		return err
	}
	defer p.Close()
	for m := range messages {
		if err := p.Send(f.to, generator.PartitionOf(m.Key, f.partitions), m.Key, m.Value); err != nil {
			return err
		}
		if err := cmd.Context().Err(); err != nil {
			return err
		}
	}
	return p.Flush(cmd.Context())
}

// readTraffic reads a file that `lab generate` wrote, or stdin as "-".
func readTraffic(cmd *cobra.Command, path string) ([]generator.Message, error) {
	if path != "-" {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			return nil, fmt.Errorf("%s is no file: name one that `go tool lab generate --to FILE` wrote, or - for the standard input", path)
		}
		return generator.ReadFile(path)
	}
	dir, remove, err := scratch.New("traffic")
	if err != nil {
		return nil, err
	}
	defer remove()
	tmp, err := os.Create(filepath.Join(dir, "stdin"))
	if err != nil {
		return nil, err
	}
	if _, err := tmp.ReadFrom(cmd.InOrStdin()); err != nil {
		return nil, err
	}
	if err := tmp.Close(); err != nil {
		return nil, err
	}
	messages, err := generator.ReadFile(tmp.Name())
	if err != nil {
		err = errors.New(strings.ReplaceAll(err.Error(), tmp.Name(), "the standard input"))
	}
	return messages, err
}
