package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"gatewaymeter/pipeline"
	"gatewaymeter/stream/trace"
)

// traceFlags are those of a run that is recorded, step by step.
type traceFlags struct {
	file, key string
	max       int
}

// runTraceMax is how many steps a run keeps unless it is told otherwise: about 5,000 requests.
const runTraceMax = 100_000

func (f *traceFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.file, "trace", "", "write the last steps of the run to this file, as JSON (see package stream/trace)")
	flags.StringVar(&f.key, "trace-key", "", "only the steps of this key: a request's id, or a tenant")
	flags.IntVar(&f.max, "trace-max", runTraceMax, "how many steps to keep, the last ones")
}

// open has the run recorded, if that is asked for; save writes the file, also after a failure. The file
// is made before the run, so that one that cannot be written costs no run.
func (f *traceFlags) open(cfg *pipeline.RunConfig, note func(format string, args ...any)) (save func() error, err error) {
	switch {
	case f.file == "" && f.key != "":
		return nil, errors.New("--trace-key without --trace: name the file that the trace goes to, --trace FILE")
	case f.file == "" && f.max != runTraceMax:
		return nil, errors.New("--trace-max without --trace: name the file that the trace goes to, --trace FILE")
	case f.file == "":
		return func() error { return nil }, nil
	case f.max < 1:
		return nil, fmt.Errorf("--trace-max %d: ask for at least 1", f.max)
	}
	file, err := os.Create(f.file)
	if err != nil {
		return nil, fmt.Errorf("--trace: %w", err)
	}
	recorder := trace.NewRecorder(trace.Options{Max: f.max, Key: f.key})
	cfg.Trace = recorder.Record
	return func() error {
		t := recorder.Trace()
		err := errors.Join(trace.Write(file, t), file.Close())
		if err == nil {
			note("%d steps in %s, %d earlier ones dropped", len(t.Steps), f.file, t.Missing)
		}
		return err
	}, nil
}
