package livecrash

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"gatewaymeter/broker"
	"gatewaymeter/gateway"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
)

// Verdict is what the last life says of the invoice, and what a reader of the topics finds.
type Verdict struct {
	Said        oracle.Counts        // the last line of the last life
	Cards       pipeline.CardsReport // likewise
	Oracle      string               // likewise: "match", of bills and alerts
	Differences []oracle.Difference  // what our own reading of the topics finds wrong
	Repeated    int                  // lines that stand in the topics more than once: the job did replay
}

// last runs the job to the end of its input, and judges.
func (r *runner) last(ctx context.Context) error {
	n := len(r.Lives)
	l := &life{Life: Life{Parallelism: r.parallelism(n)}, r: r}
	var err error
	if l.p, err = start(ctx, r.Lab, r.Dir, r.args(n, true)...); err != nil {
		return err
	}
	for line := range l.p.lines {
		l.heard(line)
	}
	<-l.p.done
	r.Last = l.Life
	if l.p.err != nil {
		return l.p.said("the last life did not end well: " + l.p.stdout.String())
	}
	if err := r.Verdict.read(l.p.stdout.Bytes()); err != nil {
		return l.p.said(err.Error())
	}
	return r.judge(ctx)
}

// read takes the report from the process's last line.
func (v *Verdict) read(stdout []byte) error {
	lines := bytes.Split(bytes.TrimSpace(stdout), []byte("\n"))
	var said struct {
		oracle.Counts
		pipeline.CardsReport
		Oracle string `json:"oracle"`
	}
	if err := json.Unmarshal(lines[len(lines)-1], &said); err != nil {
		return fmt.Errorf("its last line is no report: %w", err)
	}
	v.Said, v.Cards, v.Oracle = said.Counts, said.CardsReport, said.Oracle
	return nil
}

// judge reads input and output once more, with a plain consumer, and asks the oracle.
func (r *runner) judge(ctx context.Context) error {
	b, err := broker.Open(ctx, r.server.addr(), broker.Options{})
	if err != nil {
		return err
	}
	input, err := b.ReadAll(ctx, r.Topic)
	if err != nil {
		return errors.Join(err, b.Close())
	}
	out, err := pipeline.ReadOutput(ctx, b, r.Prefix)
	if err := errors.Join(err, b.Close()); err != nil {
		return err
	}
	invoice, err := pipeline.Expect(pipeline.LastStage, r.Topic, input)
	if err != nil {
		return err
	}
	invoice.Options.Repeats = true
	r.Verdict.Differences = pipeline.Verify(invoice, out, r.Verdict.Said)
	r.Verdict.Repeated = repeated(out)
	return nil
}

// repeated counts the lines that are there again.
func repeated(out *pipeline.Output) int {
	letters, minutes := map[[2]int64]bool{}, map[gateway.TenantWindow]bool{}
	for _, d := range out.DeadLetters {
		letters[[2]int64{int64(d.Partition), d.Offset}] = true
	}
	for _, w := range out.Invoice {
		minutes[w] = true
	}
	return len(out.DeadLetters) - len(letters) + len(out.Invoice) - len(minutes)
}
