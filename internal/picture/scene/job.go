package scene

import (
	"errors"
	"fmt"
	"strings"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	checkpoints "gatewaymeter/labs/07-checkpoints/solution"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// jobStage is a job with checkpoints in the simulated driver: a source of parallelism 2, running totals
// per tenant, and a sink that writes whatever it is told: "job partitions=2 seed=1". Steps: write
// partition= tenants=a,b puts a one-dollar record for each into the log; run lines= lets the job run
// until the sink has got so many lines in all, run checkpoint= until so many checkpoints are complete,
// and drain until nothing is left to do; crash lines= kills the worker once so many lines are written and one more packet is processed;
// restore starts it from the latest checkpoint.
type jobStage struct {
	head  *Step
	trace func(stream.Step)
	log   *memoryLog[gateway.RequestRecord]
	disk  checkpoints.Disk
	lines *lines
	sim   *engine.Simulation
	taken int // checkpoints of earlier lives
	lives uint64

	written int // records in the log
}

// lines is the world outside: what the sink has written stays written.
type lines struct{ all []gateway.TenantTotal }

func (l *lines) Open(*stream.Context) error { return nil }
func (l *lines) Flush() stream.Work         { return nil }

func (l *lines) Write(_ *stream.Context, t gateway.TenantTotal) error {
	l.all = append(l.all, t)
	return nil
}

func newJob(head *Step, trace func(stream.Step)) stage {
	j := &jobStage{head: head, trace: trace, disk: checkpoints.NewMemDisk(), lines: &lines{}}
	j.log = newLog[gateway.RequestRecord](head.Number("partitions"))
	j.start()
	return j
}

func (j *jobStage) close() { _ = j.sim.Close() }

func (j *jobStage) do(s *Step) {
	switch s.Verb {
	case "write":
		for _, tenant := range strings.Split(s.Arg("tenants"), ",") {
			j.written++
			j.log.write(s.Number("partition"), dollar(fmt.Sprint("r", j.written), tenant))
		}
	case "run":
		j.run(func() bool {
			return len(j.lines.all) >= s.Number("lines") && j.sim.Completed()+j.taken >= s.Number("checkpoint")
		})
	case "drain":
		j.drain()
	case "crash":
		j.sim.CrashWhen(engine.PointProcess, true, func() bool { return len(j.lines.all) >= s.Number("lines") })
		j.run(func() bool { return false })
	case "restore":
		j.taken += j.sim.Completed()
		j.close()
		j.start()
	default:
		unknown(s)
	}
}

// longest is how many steps a run may take before something is wrong with the script.
const longest = 100_000

// run takes steps until enough has happened, or the worker is dead.
func (j *jobStage) run(enough func() bool) {
	for range longest {
		if enough() {
			return
		}
		if _, err := j.sim.Step(); errors.Is(err, engine.ErrCrashed) {
			return
		} else {
			check(err)
		}
	}
	panic(fault("it does not come to an end: what the step waits for never happens"))
}

// quiet is for how many steps nothing may be written until the job has handled all that there is.
const quiet = 500

func (j *jobStage) drain() {
	before, since := len(j.lines.all), 0
	j.run(func() bool {
		since++
		if n := len(j.lines.all); n > before {
			before, since = n, 0
		}
		return since > quiet
	})
}

// start begins a life of the job, from the latest checkpoint if there is one.
func (j *jobStage) start() {
	store, err := checkpoints.NewStore(j.disk, 2)
	check(err)
	cfg := stream.Checkpointing{Interval: 10_000, Timeout: 600_000}
	cfg.First, err = store.Next()
	check(err)
	latest, _, err := store.Latest()
	check(err)
	job := j.build()
	o := engine.SimOptions{Seed: uint64(j.head.Number("seed")) + j.lives<<32, Checkpoints: &engine.Checkpoints{Store: store, Config: cfg}}
	if latest != nil {
		o.Restore, err = job.Match(latest, false)
		check(err)
	}
	j.lives++
	j.sim, err = engine.NewSimulation(job, o)
	check(err)
}

func (j *jobStage) build() *engine.Job {
	p, functions, err := pipeline.Ours(pipeline.LastStage)
	check(err)
	p.Watermarks, p.Valve = nil, nil // this scene is not about time
	job := engine.NewJob("totals", p, 1)
	job.SetTrace(j.trace)
	cfg := engine.LogConfig[gateway.RequestRecord]{
		Log: func(int) (stream.Log, error) { return j.log, nil },
		Decode: func(m stream.Message) (gateway.RequestRecord, stream.Time, error) {
			return j.log.at(m), stream.NoTime, nil
		},
		Splits: j.log.splits(),
	}
	records := engine.From(job, "source", func() stream.Source[gateway.RequestRecord] { return engine.NewLogSource(p, cfg) }).SetParallelism(2)
	byTenant := func(r gateway.RequestRecord) string { return r.TenantID }
	keyed := engine.KeyBy(records, byTenant, func(owner []int) stream.Exchange[gateway.RequestRecord] {
		return functions.Exchanges.Records(byTenant, owner)
	})
	totals := engine.ProcessKeyed(keyed, "tenant-cost", func() stream.KeyedFunction[gateway.RequestRecord, gateway.TenantTotal] {
		return operators.NewTenantCost(gateway.ListPrices())
	})
	engine.SinkTo(totals, "sink", func() stream.Sink[gateway.TenantTotal] { return j.lines })
	check(job.Validate())
	return job
}
