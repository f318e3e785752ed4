package engine

import (
	"sync/atomic"
	"time"

	"gatewaymeter/stream"
)

// SystemClock is processing time as the machine has it. It is read by drivers and given to tasks;
// tasks and functions know it as a stream.Clock only.
type SystemClock struct{}

// Now implements stream.Clock.
func (SystemClock) Now() stream.Time { return stream.Time(time.Now().UnixMilli()) }

// ManualClock is a clock that stands still until it is set: for tests and for the simulated driver.
// It may be used from several goroutines.
type ManualClock struct{ now atomic.Int64 }

// Now implements stream.Clock.
func (c *ManualClock) Now() stream.Time { return stream.Time(c.now.Load()) }

// Set moves the clock, also backwards.
func (c *ManualClock) Set(t stream.Time) { c.now.Store(int64(t)) }
