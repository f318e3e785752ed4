package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gatewaymeter/generator"
	"gatewaymeter/internal/reduce"
	"gatewaymeter/internal/replay"
)

func init() { register(newReduceCommand) }

// reduceFlags are what `lab reduce` is called with.
type reduceFlags struct {
	job       replay.Job
	traffic   replay.Traffic
	schedules int
	to        string
	mine      []string
	mutant    string
	json      bool
}

// reduced is the line of `lab reduce --json`.
type reduced struct {
	Oracle   string `json:"oracle"` // match or mismatch
	Messages int    `json:"messages"`
	Left     int    `json:"left"`
	Runs     int    `json:"runs"`
	Way      string `json:"way"`   // in which it fails
	First    string `json:"first"` // what is wrong first, in the run over what is left
	File     string `json:"file"`
	Replay   string `json:"replay"` // the command that runs it again
}

func newReduceCommand() *cobra.Command {
	f := reduceFlags{job: replay.Job{}, traffic: replay.DefaultTraffic(2000, 1)}
	cmd := &cobra.Command{
		Use:     "reduce [FILE]",
		GroupID: groupRun,
		Short:   "Shrink traffic that a job bills wrongly to the messages that matter",
		Long: "Runs the job of a stage in the simulated driver over traffic made from a seed, or over a FILE that\n" +
			"`lab generate` wrote. If the bill is wrong, or the job fails, it leaves messages out as long as it still\n" +
			"goes wrong in the same way, and keeps the few that are left in a timeline for `lab replay`.\n\n" +
			"Exits with 1 if something went wrong and was reduced, with 0 if no run does anything but match.",
		Example: "  go tool lab reduce --mine 04 --stage 04\n" +
			"  go tool lab reduce --mutant 03/3a-keeps-completed --stage 03\n" +
			"  go tool lab reduce --stage 06 --parallelism 3 --partitions 7 --seed 9 --duplicates 0.5 --to found.txt",
		Args: args(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	flags := cmd.Flags()
	stageFlag(cmd, &f.job.Stage)
	flags.IntVar(&f.job.Parallelism, "parallelism", 4, "subtasks of each operator")
	flags.IntVar(&f.job.Partitions, "partitions", 4, "partitions of the topic")
	flags.StringVar(&f.job.Backend, "backend", "heap", "where state lives: heap or pebble")
	flags.Uint64Var(&f.job.Schedule, "schedule", 1, "the first seed of the simulated driver's scheduler")
	flags.IntVar(&f.schedules, "schedules", 20, "how many such seeds to try")
	flags.IntVar(&f.traffic.Requests, "requests", f.traffic.Requests, "requests to generate")
	flags.Uint64Var(&f.traffic.Seed, "seed", f.traffic.Seed, "seed of the traffic")
	flags.IntVar(&f.traffic.Tenants, "tenants", f.traffic.Tenants, "tenants to generate")
	flags.Float64Var(&f.traffic.Lag, "lag-above-bound", 0, "share of requests whose completion comes later than the watermark allows")
	flags.Float64Var(&f.traffic.Duplicates, "duplicates", f.traffic.Duplicates, "share of events that come twice")
	flags.BoolVar(&f.traffic.Shuffled, "shuffle", false, "the messages in another order between requests")
	flags.BoolVar(&f.traffic.Dense, "dense", false, "so many anomalies that 24 requests have them all")
	flags.StringVar(&f.to, "to", "", "where to keep what is left; a name that ends in .jsonl is for lab oracle (default: a file in .lab/reduced)")
	flags.StringSliceVar(&f.mine, "mine", nil, "run on your own code of these labs (03 or 02,03)")
	flags.StringVar(&f.mutant, "mutant", "", "run on a known-wrong solution: LAB/NAME, as in 03/3a-keeps-completed")
	flags.BoolVar(&f.json, "json", false, "one JSON object")
	return cmd
}

func (f *reduceFlags) run(cmd *cobra.Command, args []string) (err error) {
	defer todoIsExit(&err)
	messages, err := f.messages(cmd, args)
	if err != nil {
		return err
	}
	if other, err := onOtherCode(cmd, f.mine, f.mutant); other {
		return err
	}
	p := f.traffic.Params()
	cfg := reduce.Config{
		Job: f.job, Maker: parts, Messages: messages, Bound: p.Bound, Within: p.DuplicateWithin, Schedules: f.schedules,
	}
	if isTerminal(cmd.ErrOrStderr()) {
		cfg.Progress = func(left, runs int) { fmt.Fprintf(cmd.ErrOrStderr(), "\r%6d messages left, %5d runs", left, runs) }
	}
	r, err := reduce.Run(cmd.Context(), cfg)
	if cfg.Progress != nil {
		fmt.Fprint(cmd.ErrOrStderr(), "\r\x1b[K")
	}
	switch {
	case errors.Is(err, reduce.ErrMatches):
		return f.nothing(cmd, len(messages))
	case err != nil:
		return failed(err)
	}
	return f.tell(cmd, r)
}

// messages are the traffic to reduce.
func (f *reduceFlags) messages(cmd *cobra.Command, args []string) ([]generator.Message, error) {
	switch err := f.job.Check(); {
	case err != nil:
		return nil, fmt.Errorf("--%w", err) // it begins with the flag's name
	case f.to != "" && !isDir(filepath.Dir(f.to)):
		return nil, fmt.Errorf("--to %s: there is no folder %s: make it, or name another file", f.to, filepath.Dir(f.to))
	case f.schedules < 1:
		return nil, fmt.Errorf("--schedules %d: ask for at least 1", f.schedules)
	case len(args) == 1:
		return readTraffic(cmd, args[0])
	}
	if f.traffic.Requests < 1 {
		return nil, fmt.Errorf("--requests %d: ask for at least 1", f.traffic.Requests)
	}
	if err := f.traffic.Params().Validate(); err != nil {
		return nil, trafficError(err)
	}
	messages, _, err := f.traffic.MessagesUntil(cmd.Context().Err)
	return messages, err
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// nothing says that no run failed.
func (f *reduceFlags) nothing(cmd *cobra.Command, messages int) error {
	if f.json {
		return printJSON(cmd.OutOrStdout(), reduced{Oracle: "match", Messages: messages, Left: messages, Runs: f.schedules})
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "Nothing to reduce: the run over %d messages matches the oracle, under %d schedules.\n", messages, f.schedules)
	return err
}

// tell keeps what is left, and says so.
func (f *reduceFlags) tell(cmd *cobra.Command, r *reduce.Result) error {
	file, err := f.keep(r)
	if err != nil {
		return err
	}
	line := reduced{
		Oracle: "mismatch", Messages: r.Original.Messages, Left: len(r.Messages), Runs: r.Runs,
		Way: r.Outcome.Way(), First: r.Outcome.First(), File: file, Replay: again(file, r.Job),
	}
	if f.json {
		err = printJSON(cmd.OutOrStdout(), line)
	} else {
		f.explain(cmd, r, line)
	}
	return errors.Join(err, exit(exitWrong))
}

// longest is how many lines of a reduced input are shown.
const longest = 20

func (f *reduceFlags) explain(cmd *cobra.Command, r *reduce.Result, line reduced) {
	out := cmd.OutOrStdout()
	if r.Unruly != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "lab: the traffic breaks the generator's rules (%v), so what is left may be wrong for that reason\n", r.Unruly)
	}
	fmt.Fprintf(out, "%s:\n\n", r)
	_, lines, _ := strings.Cut(r.Recording().Text(), "\n\n")
	shown := slices.Collect(strings.Lines(lines))
	fmt.Fprint(out, strings.Join(shown[:min(longest, len(shown))], ""))
	if rest := len(shown) - longest; rest > 0 {
		fmt.Fprintf(out, "and %d lines more\n", rest)
	}
	fmt.Fprintf(out, "\n%s\nKept in %s. The same run again, after a change of the code:\n  %s\n", r.Outcome.Explain(), line.File, line.Replay)
}

// keep writes what is left to a file and returns its name.
func (f *reduceFlags) keep(r *reduce.Result) (string, error) {
	path := f.to
	if path == "" {
		dir := ".lab"
		if repo, err := openRepo(); err == nil {
			dir = repo.StateDir()
		}
		path = filepath.Join(dir, "reduced", fmt.Sprintf("stage-%02d-seed-%d.txt", f.job.Stage, f.traffic.Seed))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if wd, err := os.Getwd(); err == nil {
			if near, err := filepath.Rel(wd, path); err == nil {
				path = near
			}
		}
	}
	if filepath.Ext(path) == ".jsonl" {
		return path, generator.WriteFile(path, slices.Values(r.Messages))
	}
	recording := r.Recording()
	recording.Notes = append(recording.Notes, "again: "+again(path, r.Job))
	return path, os.WriteFile(path, []byte(recording.Text()), 0o644)
}

// again is the command that runs a kept file.
func again(file string, j replay.Job) string {
	command := "go tool lab replay " + file
	if filepath.Ext(file) == ".jsonl" {
		command = fmt.Sprintf("go tool lab reduce %s --stage %02d --parallelism %d --partitions %d --backend %s --schedule %d --schedules 1",
			file, j.Stage, j.Parallelism, j.Partitions, j.Backend, j.Schedule)
	}
	return onThisCode(command)
}

// reduce is the command that shrinks the traffic of a run.
func (f *runFlags) reduce() string {
	t := replay.DefaultTraffic(f.requests, f.seed)
	t.Tenants, t.Lag = f.tenants, f.lagAboveBound
	j := replay.Job{Stage: f.stage, Parallelism: f.parallelism, Partitions: f.partitions, Backend: f.backend, Schedule: 1}
	return onThisCode(t.Reduce(j))
}

// onThisCode adds the flag that the program was built with, if it is not on our own code.
func onThisCode(command string) string {
	return strings.TrimSpace(command + " " + os.Getenv(codeVariable))
}
