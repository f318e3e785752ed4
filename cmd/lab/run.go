package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gatewaymeter/broker"
	"gatewaymeter/generator"
	"gatewaymeter/internal/backends"
	"gatewaymeter/pipeline"
)

func init() { register(newRunCommand) }

// runFlags are what `lab run` is called with.
type runFlags struct {
	requests, tenants       int
	seed                    uint64
	partitions, parallelism int
	rate                    int
	stage                   int
	backend, broker         string
	input, prefix           string
	mine                    []string
	lagAboveBound           float64
	reading                 readingFlags
	inspect                 bool
	checkpoints             checkpointFlags
	trace                   traceFlags
	json                    bool
}

func newRunCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:     "run",
		GroupID: groupRun,
		Short:   "Run the metering job on Kafka and check its invoice",
		Long: "Makes gateway traffic from a seed, writes it to Kafka, runs the job of a stage over it, reads the\n" +
			"invoice back with a plain consumer and holds it against the oracle, which shares no code with it.\n\n" +
			"The last line of --json has the figures of the run. Exits with 1 if the invoice is wrong.",
		Example: "  go tool lab run\n  go tool lab run --stage 03 --parallelism 8 --backend pebble\n" +
			"  go tool lab run --broker localhost:9092 --requests 100000 --checkpoint 1s\n" +
			"  go tool lab run --mine 03 --json\n" +
			"  go tool lab run --follow --stop 2 --inspect   # and `go tool lab why` in another terminal",
		Args: args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.IntVar(&f.requests, "requests", 20000, "requests to generate")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the traffic")
	flags.IntVar(&f.tenants, "tenants", 50, "tenants to generate")
	flags.IntVar(&f.partitions, "partitions", 4, "partitions of each topic")
	flags.IntVar(&f.parallelism, "parallelism", 4, "subtasks of each operator")
	flags.IntVar(&f.rate, "rate", 0, "read at most so many events a second, to watch a run or to kill it (0: as fast as it goes)")
	flags.StringVar(&f.backend, "backend", "heap", "where state lives: heap or pebble")
	flags.StringVar(&f.broker, "broker", "embedded", "embedded, container or HOST:PORT")
	flags.StringVar(&f.input, "input", "generate", "generate, or a topic to read to its present end")
	stageFlag(cmd, &f.stage)
	flags.StringVar(&f.prefix, "output-prefix", "", "before the names of the run's topics (default: a new one for each run)")
	flags.StringSliceVar(&f.mine, "mine", nil, "run on your own code of these labs (03 or 02,03)")
	flags.Float64Var(&f.lagAboveBound, "lag-above-bound", 0, "share of requests whose completion comes later than the watermark allows")
	f.reading.add(flags)
	f.checkpoints.add(flags)
	f.trace.add(flags)
	flags.BoolVar(&f.inspect, "inspect", false, "let lab why ask the running job, on this machine only")
	flags.BoolVar(&f.json, "json", false, "JSON, and nothing else, on stdout: an object for each checkpoint, then one for the run")
	return cmd
}

// run does a run, on the student's code if asked to.
func (f *runFlags) run(cmd *cobra.Command) (err error) {
	defer todoIsExit(&err)
	cfg, err := f.config(cmd.Flags())
	if err != nil {
		return err
	}
	if len(f.mine) > 0 {
		return runMine(cmd, f.mine)
	}
	remove, err := backends.ForOneRun(&cfg.Parts, f.backend)
	if err != nil {
		return err
	}
	defer remove()
	release, err := f.checkpoints.claim(cfg.Checkpoints)
	if err != nil {
		return err
	}
	defer release()
	b, err := openBroker(cmd.Context(), f.broker)
	if err != nil {
		return err
	}
	defer b.Close()
	cfg.Broker = b
	pipeline.Throttle(&cfg.Parts, f.rate, f.parallelism)
	show := newRunDisplay(cmd, f)
	cfg.Board, cfg.Progress = show.board, show.progress
	if c := cfg.Checkpoints; c != nil {
		c.OnCheckpoint, c.OnRestore = show.checkpoint, show.restored
		c.Warn = func(err error) { show.note("warning: %v", err) }
		if c.Interval > 0 {
			show.note("checkpoints go to %s; the topics of this run begin with %s", c.Dir, cfg.Prefix)
		}
	}
	if f.inspect {
		defer inspected(&cfg, show.note)()
	}
	save, err := f.trace.open(&cfg, show.note)
	if err != nil {
		return err
	}
	report, err := pipeline.Run(cmd.Context(), cfg)
	show.stop()
	err = errors.Join(err, save())
	if err != nil {
		return failed(err)
	}
	if err := show.report(report); err != nil {
		return err
	}
	if report.Oracle != "match" {
		return exit(exitWrong)
	}
	return nil
}

// config checks the flags and makes a run of them.
func (f *runFlags) config(flags *pflag.FlagSet) (pipeline.RunConfig, error) {
	traffic := generator.Default(f.requests, f.seed)
	traffic.Tenants, traffic.LagAboveBound = f.tenants, f.lagAboveBound
	cfg := pipeline.RunConfig{
		Stage: f.stage, Parallelism: f.parallelism, Partitions: f.partitions, Traffic: traffic, Prefix: f.prefix,
	}
	if f.input != "generate" {
		cfg.Input = f.input
	}
	if cfg.Prefix == "" {
		cfg.Prefix = pipeline.NewPrefix()
	}
	switch {
	case f.input == "":
		return cfg, errors.New("--input is empty: it is generate, or a topic")
	case f.requests < 1:
		return cfg, fmt.Errorf("--requests %d: ask for at least 1", f.requests)
	case f.partitions < 1 || f.partitions > 1000:
		return cfg, fmt.Errorf("--partitions %d: ask for 1 to 1000", f.partitions)
	case checkParallelism(f.parallelism) != nil:
		return cfg, checkParallelism(f.parallelism)
	case f.rate < 0:
		return cfg, fmt.Errorf("--rate %d: it is events a second, or 0 for no limit", f.rate)
	case f.backend != "heap" && f.backend != "pebble":
		return cfg, fmt.Errorf("--backend %q: it is heap or pebble", f.backend)
	}
	if err := traffic.Validate(); err != nil {
		return cfg, trafficError(err)
	}
	var err error
	if cfg.Checkpoints, err = f.checkpoints.config(f, cfg.Prefix); err != nil {
		return cfg, err
	}
	if cfg.Claimed, err = f.claimed(flags, cfg.Input); err != nil {
		return cfg, err
	}
	if cfg.Parts, cfg.Functions, err = parts(f.stage); err != nil {
		return cfg, err
	}
	return cfg, f.reading.apply(&cfg, f.requests)
}

// claimed are the flags that say what traffic is generated, as they were typed. A given topic is read as it
// is: there they would be ignored. With --restore they would be too, but the run finds out if they are true.
func (f *runFlags) claimed(flags *pflag.FlagSet, topic string) (typed []string, err error) {
	for _, name := range []string{"requests", "seed", "tenants", "lag-above-bound", "stop"} {
		if !flags.Changed(name) {
			continue
		}
		ofCards := f.reading.cards == "generate" && (name == "requests" || name == "seed")
		if topic != "" && !ofCards {
			return nil, fmt.Errorf("--%s says what traffic to generate, and --input %s is read as it is: leave one of them out", name, topic)
		}
		if f.checkpoints.restore != "" {
			typed = append(typed, fmt.Sprintf("--%s %s", name, strings.Trim(flags.Lookup(name).Value.String(), "[]")))
		}
	}
	return typed, nil
}

// parts are the engine's parts and the job's functions. Tests put wrong ones in their place; a student's
// come by --mine, at build time.
var parts = pipeline.Ours

// openBroker opens what --broker names.
func openBroker(ctx context.Context, spec string) (*broker.Broker, error) {
	return broker.Open(ctx, spec, broker.Options{Container: containerStarter})
}
