package main

import (
	"fmt"
	"strings"
	"time"

	"gatewaymeter/engine"
	"gatewaymeter/stream"
)

// The live picture has room for so many partitions, and for so many on a line of 80 columns.
const (
	shownPartitions  = 8
	partitionsAtLine = 4
)

// eventTime is the part of the live picture that stages with event time have: how far each partition's
// watermark is behind the newest event of all, the windows in flight, and the late records.
func eventTime(metrics []engine.Metrics) string {
	var partitions []stream.ChannelTime
	var open, late int64
	for _, m := range metrics {
		if m.Source {
			partitions = append(partitions, m.Channels...)
		}
		open += m.Counters["tenant-minute/open_windows"]
		late += m.Counters["tenant-minute/late"]
	}
	if len(partitions) == 0 {
		return ""
	}
	return fmt.Sprintf("open windows %d, late records %d\nwatermark lag by partition:\n%s", open, late, lags(partitions))
}

// lags are the partitions' watermarks, as what they lack to the newest event.
func lags(partitions []stream.ChannelTime) string {
	newest := stream.NoTime
	byNumber := map[int]stream.ChannelTime{}
	for _, p := range partitions {
		newest = max(newest, p.LastEvent)
		byNumber[p.Channel] = p
	}
	var b strings.Builder
	shown := min(len(byNumber), shownPartitions)
	for n := range shown {
		fmt.Fprintf(&b, "  %2d: %-12s", n, lag(byNumber[n], newest))
		if n%partitionsAtLine == partitionsAtLine-1 || n == shown-1 {
			b.WriteByte('\n')
		}
	}
	if more := len(byNumber) - shown; more > 0 {
		fmt.Fprintf(&b, "  and %d more\n", more)
	}
	return b.String()
}

func lag(p stream.ChannelTime, newest stream.Time) string {
	switch {
	case p.Ended:
		return "ended"
	case p.Idle:
		return "idle"
	case p.Watermark == stream.NoTime:
		return "none yet"
	}
	return (time.Duration(newest-p.Watermark) * time.Millisecond).Round(time.Millisecond).String()
}

// checkpointLine is the line of `lab run --json` about a checkpoint.
type checkpointLine struct {
	ID          int64  `json:"checkpoint"`
	Error       string `json:"error,omitempty"` // why it was given up; what follows means nothing then
	DurationMS  int64  `json:"duration_ms"`     // from the trigger to the manifest
	AlignmentMS int64  `json:"alignment_ms"`    // the longest that a task waited for its last barrier
	Bytes       int64  `json:"bytes"`           // full: all files that it names
	Written     int64  `json:"written_bytes"`   // incremental: what no checkpoint before it had named
}

// checkpoint is told of each checkpoint that has ended, by the coordinator's goroutine.
func (d *runDisplay) checkpoint(c engine.CheckpointReport) {
	line := fmt.Sprintf("checkpoint %d: complete after %v, alignment %v, %s in full, %s written", c.ID,
		c.Duration.Round(time.Millisecond), c.Alignment.Round(time.Millisecond), bytesOf(c.Bytes), bytesOf(c.Written))
	if c.Err != nil {
		line = fmt.Sprintf("checkpoint %d: given up: %v", c.ID, c.Err)
	}
	if d.flags.json {
		d.checkpointJSON(c)
	}
	if !d.live {
		d.note("%s", line)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.latest = line
}

// checkpointJSON prints the same for programs.
func (d *runDisplay) checkpointJSON(c engine.CheckpointReport) {
	l := checkpointLine{ID: c.ID, DurationMS: c.Duration.Milliseconds(), AlignmentMS: c.Alignment.Milliseconds(), Bytes: c.Bytes, Written: c.Written}
	if c.Err != nil {
		l.Error = c.Err.Error()
	}
	if err := printJSON(d.out, l); err != nil {
		d.note("%v", err) // the run's own line will fail likewise
	}
}

// latestCheckpoint is its line in the live picture.
func (d *runDisplay) latestCheckpoint() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.latest == "" {
		return ""
	}
	return d.latest + "\n"
}

// restored is told which checkpoint the job starts from, and which newer ones are damaged, or were never
// completed.
func (d *runDisplay) restored(from *stream.Checkpoint, refused []error) {
	for _, err := range refused {
		d.note("a newer one is left alone: %v", err)
	}
	d.note("starting from checkpoint %d", from.ID)
}
