package serialised_test

import (
	"fmt"
	"runtime"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/internal/kit/aloud"
	"gatewaymeter/pipeline"
)

// Investigation 3.1: the subtasks of "assemble", what each holds after a fixed run, and Go's heap beside
// it. The first is exact. The second is a proxy: here it is only said whether it has grown.
func Example_subtasks() {
	defer aloud.Print()()
	before := heapInUse()
	var out pipeline.Output
	result, err := runJob(&out, 4_000)
	if err != nil {
		fmt.Println(err)
		return
	}
	total := 0
	for _, task := range result.Tasks {
		if open, ok := task.Entries["assemble/open"]; ok {
			fmt.Printf("subtask %d of %s: %d events in, %d open\n", task.Subtask, task.Task, task.In, open)
			total += open
		}
	}
	fmt.Printf("open in all: %d; the heap has grown: %v\n", total, heapInUse() > before)
	runtime.KeepAlive(&out)
	// Output:
	// subtask 0 of assemble: 1973 events in, 28 open
	// subtask 1 of assemble: 1947 events in, 35 open
	// subtask 2 of assemble: 2003 events in, 29 open
	// subtask 3 of assemble: 1957 events in, 28 open
	// open in all: 120; the heap has grown: true
}

// heapInUse is the bytes of live objects, as far as collections can tell: what pools hold, of other tests
// too, is only gone after the second.
func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// runJob runs stage 03 over seeded traffic, under one seeded schedule.
func runJob(out *pipeline.Output, requests int) (*engine.Result, error) {
	parts, functions, err := pipeline.Ours(3)
	if err != nil {
		return nil, err
	}
	topic, _ := pipeline.Record(generator.Default(requests, 1), gateway.TopicEvents, 4)
	return pipeline.Simulate(pipeline.Config{
		Stage: 3, Parallelism: 4, Parts: parts, Functions: functions,
		Events: pipeline.Input{Splits: topic.Splits(), Log: topic.Log, Every: 1000}, Sinks: out.Sinks(),
	}, 1)
}
