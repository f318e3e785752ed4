package main

import (
	"cmp"
	"time"

	"gatewaymeter/engine"
	"gatewaymeter/gateway"
	"gatewaymeter/internal/inspect"
	"gatewaymeter/pipeline"
)

// inspected lets `lab why` ask the job of a run once it has started. close ends that.
func inspected(cfg *pipeline.RunConfig, note func(format string, args ...any)) (close func()) {
	var p *inspect.Publication
	cfg.Started = func(e *engine.Execution) (err error) {
		p, err = inspect.Publish(inspect.Dir(), inspect.Job{
			Name:    e.Name(),
			Topic:   cmp.Or(cfg.Input, cfg.Prefix+gateway.TopicEvents),
			Started: time.Now(),
		}, func() []pipeline.Waiting { return pipeline.Why(e.Metrics()) })
		if err == nil {
			note("`go tool lab why` in another terminal asks this job what it waits for (--attach %s)", p.Address)
		}
		return err
	}
	return func() {
		if p != nil {
			_ = p.Close() // the run is over; a note that stays is found to be dead
		}
	}
}
