// Package matrix turns the dimensions on which a job's results must not depend: parallelism, partitions,
// backend, driver, broker, the order between requests, duplicates, the schedule of its tasks. Each case is
// a whole run, judged by the oracle and beside the runs of the same traffic.
//
// It promises that [Pairwise] meets every pair of values of two dimensions and every seed with every
// stage; that a run counts only if every partition and every subtask that should have had work had some;
// and that a failure can be repeated and reduced by the commands that it prints. [Relations] say what a
// change of the input does to the output, whatever the oracle thinks of it. [Interleave] turns the
// schedule alone.
//
// It leaves the runs to packages pipeline and replay, and the truth to package oracle.
package matrix

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"gatewaymeter/internal/replay"
	"gatewaymeter/pipeline"
)

// Case is one run.
type Case struct {
	Stage       int
	Parallelism int
	Partitions  int
	Backend     string  // heap or pebble
	Driver      string  // Live or Simulated
	Lag         bool    // some completions come later than the bound
	Shuffled    bool    // another order between requests
	Duplicates  float64 // share of events that come twice
	Seed        uint64  // of the traffic, and of the simulated driver's schedule
}

// The drivers.
const (
	Live      = "live"      // on Kafka
	Simulated = "simulated" // over the same partitions in memory
)

// Requests is how large each run is: large enough that every subtask at parallelism 7 has a tenant and
// that every anomaly of the generator is there.
const Requests = 400

// lagShare is the share of late completions, where there are any.
const lagShare = 0.05

// caseFormat is how a case is written and read.
const caseFormat = "stage=%d parallelism=%d partitions=%d backend=%s driver=%s lag=%t shuffle=%t duplicates=%g seed=%d"

// String is the case in a form that ParseCase reads.
func (c Case) String() string {
	return fmt.Sprintf(caseFormat, c.Stage, c.Parallelism, c.Partitions, c.Backend, c.Driver, c.Lag, c.Shuffled, c.Duplicates, c.Seed)
}

// ParseCase reads a case that a failure has printed.
func ParseCase(text string) (c Case, err error) {
	_, err = fmt.Sscanf(strings.TrimSpace(text), caseFormat, &c.Stage, &c.Parallelism, &c.Partitions, &c.Backend, &c.Driver, &c.Lag, &c.Shuffled, &c.Duplicates, &c.Seed)
	if err == nil {
		err = c.job().Check()
	}
	if err == nil && c.Driver != Live && c.Driver != Simulated {
		err = fmt.Errorf("driver %q: it is %s or %s", c.Driver, Live, Simulated)
	}
	if err != nil {
		return c, fmt.Errorf("%q is no case, such as %q: %w", text, Case{Stage: 6, Parallelism: 1, Partitions: 1, Backend: "heap", Driver: Live, Seed: 1}, err)
	}
	return c, nil
}

// traffic is what the case's messages are made from.
func (c Case) traffic() replay.Traffic {
	t := replay.DefaultTraffic(Requests, c.Seed)
	t.Shuffled, t.Duplicates = c.Shuffled, c.Duplicates
	if c.Lag {
		t.Lag = lagShare
	}
	return t
}

// job is the case's job in the simulated driver.
func (c Case) job() replay.Job {
	return replay.Job{Stage: c.Stage, Parallelism: c.Parallelism, Partitions: c.Partitions, Backend: c.Backend, Schedule: c.Seed}
}

// Again is the command that repeats the case alone.
func (c Case) Again(broker string) string {
	return fmt.Sprintf("BROKER=%s MATRIX_CASE='%v' go test ./internal/matrix -count=1 -run TestPairwise", broker, c)
}

// Failure is what a failed case tells: the case, what is wrong, and the commands that repeat it and that
// reduce its input (in the simulated driver, whatever the case's own).
func (c Case) Failure(err error, broker string) string {
	return fmt.Sprintf("%v\n%s\nagain:  %s\nreduce: %s\n", c, strings.TrimRight(err.Error(), "\n"), c.Again(broker), c.traffic().Reduce(c.job()))
}

// Offset says which of so many days today is, which come round and round: each has other cases. MATRIX_OFFSET
// has those of another day again.
func Offset(days int) (uint64, error) {
	text := os.Getenv("MATRIX_OFFSET")
	if text == "" {
		return uint64(time.Now().YearDay() % days), nil
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		err = fmt.Errorf("MATRIX_OFFSET=%s is no number that a test has printed: %w", text, err)
	}
	return n, err
}

// stages are all stages of the job.
func stages() (all []int) {
	for s := pipeline.FirstStage; s <= pipeline.LastStage; s++ {
		all = append(all, s)
	}
	return all
}
