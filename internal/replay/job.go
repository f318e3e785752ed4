package replay

import (
	"fmt"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/internal/backends"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// Maker makes the parts and functions of a stage. pipeline.Ours is one; others put something wrong in.
type Maker func(stage int) (engine.Parts, pipeline.Functions, error)

// Job is everything that decides a run but the messages and the code.
type Job struct {
	Stage       int
	Parallelism int
	Partitions  int
	Backend     string // heap or pebble
	Schedule    uint64 // the seed of the simulated driver's choices
}

// every is how many messages a source reads between two looks at the watermark: few, so that a handful
// of messages is enough to move time.
const every = 5

// Outcome is what a run came to.
type Outcome struct {
	Messages    int
	Err         error // the job did not come to its end; all that follows is then as far as it came
	Output      *pipeline.Output
	Result      *engine.Result
	Invoice     *oracle.Invoice
	Counts      oracle.Counts
	Differences []oracle.Difference
	Checkpoints int      // complete ones
	Unused      []string // partitions and subtasks that handled no message: see pipeline.Unused
}

// OK reports whether the run ended, with the oracle's bill.
func (o *Outcome) OK() bool { return o.Err == nil && len(o.Differences) == 0 }

// Input is messages in the partitions of a topic, and what a correct job makes of them.
type Input struct {
	topic    *pipeline.Recorded
	invoice  *oracle.Invoice
	messages int
}

// Prepare puts messages into the job's partitions and asks the oracle about them. Any number of runs may
// follow, of jobs with as many partitions and of the same stage.
func (j Job) Prepare(messages []generator.Message) (*Input, error) {
	return j.PrepareUntil(func() error { return nil }, messages)
}

// PrepareUntil is Prepare until stop, which is asked now and then, has an error.
func (j Job) PrepareUntil(stop func() error, messages []generator.Message) (*Input, error) {
	topic := pipeline.NewRecorded(gateway.TopicEvents, j.Partitions)
	for _, m := range messages {
		topic.Append(m.Key, m.Value)
	}
	invoice, err := pipeline.ExpectUntil(stop, j.Stage, topic.Topic, topic.Messages())
	return &Input{topic, invoice, len(messages)}, err
}

// fetches is about how many fetches a run is made of.
const fetches = 60

// open opens the topic for a reader that gets few messages at a time: a short input then has as many
// turns as a long one at which the schedule decides.
func (in *Input) open(subtask int) (stream.Log, error) {
	log, err := in.topic.Log(subtask)
	return slowLog{log, 1 + in.messages/fetches}, err
}

type slowLog struct {
	stream.Log
	most int
}

func (l slowLog) Fetch(partition int32, from int64, max int) ([]stream.Message, error) {
	return l.Log.Fetch(partition, from, min(max, l.most))
}

// Run runs the job over an input. An error means that there was nothing to judge; a job that fails is an
// Outcome. A job that loops for ever runs for ever: see RunGuarded.
func (j Job) Run(maker Maker, in *Input) (*Outcome, error) { return j.run(maker, in, nil) }

func (j Job) run(maker Maker, in *Input, trace func(stream.Step)) (*Outcome, error) {
	parts, functions, err := maker(j.Stage)
	if err != nil {
		return nil, err
	}
	remove, err := backends.ForOneRun(&parts, j.Backend)
	if err != nil {
		return nil, err
	}
	defer remove()
	o := &Outcome{Messages: in.messages, Invoice: in.invoice, Output: &pipeline.Output{}}
	o.Result, o.Err = o.simulate(pipeline.Config{
		Stage: j.Stage, Parallelism: j.Parallelism, Parts: parts, Functions: functions, Sinks: o.Output.Sinks(),
		Events: pipeline.Input{Splits: in.topic.Splits(), Log: in.open, Every: every},
	}, j.Schedule, trace)
	if o.Result == nil {
		return nil, o.Err
	}
	o.Unused = pipeline.Unused(map[string][]stream.Split{"gateway-source": in.topic.Splits()}, j.Parallelism, o.Result.Tasks)
	o.Counts = pipeline.Count(j.Stage, o.Invoice, o.Output, o.Result)
	o.Differences = pipeline.Verify(o.Invoice, o.Output, o.Counts)
	return o, nil
}

// RunMessages is Prepare and RunGuarded.
func (j Job) RunMessages(maker Maker, messages []generator.Message) (*Outcome, error) {
	in, err := j.Prepare(messages)
	if err != nil {
		return nil, err
	}
	return j.RunGuarded(maker, in, nil)
}

// Check says what is wrong with the job.
func (j Job) Check() error {
	switch {
	case j.Stage < pipeline.FirstStage || j.Stage > pipeline.LastStage:
		return fmt.Errorf("stage %02d: the job stands at stages %02d to %02d", j.Stage, pipeline.FirstStage, pipeline.LastStage)
	case j.Partitions < 1 || j.Partitions > 1000:
		return fmt.Errorf("partitions %d: ask for 1 to 1000", j.Partitions)
	case j.Parallelism < 1 || j.Parallelism > pipeline.Groups:
		return fmt.Errorf("parallelism %d: ask for 1 to %d, the number of key groups", j.Parallelism, pipeline.Groups)
	case j.Backend != "heap" && j.Backend != "pebble":
		return fmt.Errorf("backend %q: it is heap or pebble", j.Backend)
	}
	return nil
}
