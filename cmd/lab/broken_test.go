package main

import (
	"os"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
	"gatewaymeter/todo"
)

// mainBroken is the program with one thing broken, as the environment's BREAK says. Scripts call it as
// lab-broken, to see how a run goes wrong.
func mainBroken() {
	parts = func(stage int) (engine.Parts, pipeline.Functions, error) {
		p, f, err := pipeline.Ours(stage)
		if err == nil {
			breakIt(os.Getenv("BREAK"), &p, &f)
		}
		return p, f, err
	}
	main()
}

func breakIt(what string, p *engine.Parts, f *pipeline.Functions) {
	decode := f.Decode
	switch what {
	case "bill": // one request is on no bill
		assemble := f.Assemble
		f.Assemble = func() stream.KeyedFunction[gateway.Event, gateway.RequestRecord] {
			return forgetful{assemble().(assembler)}
		}
	case "panic":
		f.Decode = func(m stream.Message) (gateway.Event, error) {
			if string(m.Key) == "r-20" {
				panic("the decoder does not like r-20")
			}
			return decode(m)
		}
	case "endless": // a function that never returns; the file $RUNNING says that it is called
		f.Decode = func(m stream.Message) (gateway.Event, error) {
			if string(m.Key) != "r-20" {
				return decode(m)
			}
			if err := os.WriteFile(os.Getenv("RUNNING"), nil, 0o644); err != nil {
				return gateway.Event{}, err
			}
			for n := 0; n < 7; n = (n + 1) % 7 { // it never gets there
				continue
			}
			return gateway.Event{}, nil
		}
	case "todo": // an exercise that a task meets
		f.Decode = func(stream.Message) (gateway.Event, error) { panic(todo.Exercise("1a")) }
	case "early todo": // an exercise that is met when the job is put together
		panic(todo.Exercise("2b"))
	case "gate": // stops half way: see gate
		splits := p.Splits
		p.Splits = func(log stream.Log) stream.SplitReader { return &gate{SplitReader: splits(log)} }
	default:
		panic("BREAK says nothing that can be broken: " + what)
	}
}

type assembler interface {
	stream.KeyedFunction[gateway.Event, gateway.RequestRecord]
	stream.TimerFunction[gateway.RequestRecord]
}

// forgetful forgets request r-4.
type forgetful struct{ assembler }

func (f forgetful) ProcessElement(c *stream.Context, e gateway.Event, out stream.Collector[gateway.RequestRecord]) error {
	if e.RequestID == "r-4" {
		return nil
	}
	return f.assembler.ProcessElement(c, e, out)
}

// gate reads a while, makes the file $RUNNING, and reads on when the file $OPEN is there.
type gate struct {
	stream.SplitReader
	polls int
	open  bool
}

// pollsBeforeGate of gateBatch messages each.
const (
	pollsBeforeGate = 10
	gateBatch       = 10
)

func (g *gate) Poll(max int, out stream.SplitOutput) (stream.Progress, error) {
	if g.open {
		return g.SplitReader.Poll(max, out)
	}
	if g.polls++; g.polls <= pollsBeforeGate {
		return g.SplitReader.Poll(min(max, gateBatch), out)
	}
	if g.polls == pollsBeforeGate+1 {
		if err := os.WriteFile(os.Getenv("RUNNING"), nil, 0o644); err != nil {
			return 0, err
		}
	}
	_, err := os.Stat(os.Getenv("OPEN"))
	g.open = err == nil
	return stream.Waiting, nil
}
