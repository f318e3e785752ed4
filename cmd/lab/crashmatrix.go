package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"gatewaymeter/internal/crashmatrix"
	"gatewaymeter/pipeline"
	"gatewaymeter/todo"
)

// How much `lab crash` says of many runs.
const (
	tellEach     = 100  // with at most so many, each run has a line
	mostFailures = 20   // so many failures are told, the others counted
	tellProgress = 1000 // runs between two signs of life on stderr
)

// crashLine is a line of `lab crash --json` from stage 07 on.
type crashLine struct {
	*pipeline.CrashReport
	Kind  crashmatrix.Kind `json:"kind"`
	Case  string           `json:"case"`
	Error string           `json:"error,omitempty"`
}

// matrix runs the cases of the seeds, on all processors, and tells of them in order.
func (f *crashFlags) matrix(cmd *cobra.Command, stage int) error {
	cases := make([]crashmatrix.Case, f.seeds)
	for i := range cases {
		cases[i] = crashmatrix.Of(stage, f.seed+uint64(i))
	}
	m := crashmatrix.Matrix{Parts: parts, Flags: os.Getenv(codeVariable)}
	show := matrixShow{crashFlags: f, out: cmd.OutOrStdout(), progress: cmd.ErrOrStderr()}
	start := time.Now()
	v := m.All(cmd.Context(), cases, show.outcome)
	if show.err != nil {
		return show.err
	}
	if f.seeds > 1 {
		fmt.Fprintf(show.progress, "%d runs in %.1f s on %d processors\n", v.Runs, time.Since(start).Seconds(), runtime.GOMAXPROCS(0))
	}
	return show.finish(cmd.Context(), v)
}

// matrixShow tells of the runs of a matrix.
type matrixShow struct {
	*crashFlags
	out, progress io.Writer
	sum           crashSummary
	told, failed  int
	err           error // ends it
}

// outcome tells of one run, and whether to go on.
func (s *matrixShow) outcome(o crashmatrix.Outcome) bool {
	s.told++
	if _, unwritten := todo.Of(o.Err); unwritten {
		s.err = failed(o.Err)
		return false
	}
	if o.Report != nil {
		s.sum.add(o.Report)
	}
	if o.Err != nil {
		s.failed++
	}
	if s.json {
		s.err = printJSON(s.out, lineOf(o))
		return s.err == nil
	}
	s.tell(o)
	if s.told%tellProgress == 0 && s.seeds > tellProgress {
		fmt.Fprintf(s.progress, "%d of %d\n", s.told, s.seeds)
	}
	return true
}

func lineOf(o crashmatrix.Outcome) crashLine {
	l := crashLine{CrashReport: o.Report, Kind: o.Case.Kind, Case: o.Case.String()}
	if l.CrashReport == nil {
		l.CrashReport = &pipeline.CrashReport{Seed: o.Case.Seed, From: o.Case.From, Oracle: "mismatch"}
	}
	if o.Err != nil {
		l.Error = o.Err.Error()
	}
	return l
}

// tell says in words what a run came to.
func (s *matrixShow) tell(o crashmatrix.Outcome) {
	switch {
	case o.Err != nil && s.failed <= mostFailures:
		fmt.Fprintf(s.out, "FAIL %v\n", o.Err)
	case o.Err != nil:
	case s.seeds == 1:
		fmt.Fprintf(s.out, "Seed %d: %s\n", o.Case.Seed, o.Case)
		tellCrash(s.out, o.Report)
	case s.seeds <= tellEach:
		fmt.Fprintf(s.out, "seed %d, %s: %s, twice %s, never %s, oracle %s\n",
			o.Case.Seed, o.Case.Kind, o.Report.At, usd(o.Report.EmittedTwice), usd(o.Report.NeverBilled), o.Report.Oracle)
	}
}

// finish prints the summary. A run that failed, or a point that no run has reached, is the exit code.
func (s *matrixShow) finish(ctx context.Context, v *crashmatrix.Coverage) error {
	missing := v.Missing()
	if s.json {
		counts := v.Counts()
		s.sum.Matrix = &counts
		if err := printJSON(s.out, map[string]crashSummary{"summary": s.sum}); err != nil {
			return err
		}
	} else {
		if s.seeds > 1 {
			fmt.Fprintln(s.out)
			v.Print(s.out)
		}
		s.sum.print(s.out)
		if s.failed > 0 {
			fmt.Fprintf(s.out, "%d runs failed\n", s.failed)
		}
		if missing != nil {
			fmt.Fprintln(s.out, missing)
		}
	}
	switch {
	case ctx.Err() != nil:
		fmt.Fprintf(s.progress, "stopped after %d of %d runs\n", v.Runs, s.seeds)
		return ctx.Err()
	case s.failed > 0 || missing != nil:
		return exit(exitWrong)
	}
	return nil
}
