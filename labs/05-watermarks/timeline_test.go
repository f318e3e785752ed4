package lab05_test

import (
	"fmt"
	"strings"

	"gatewaymeter/internal/kit/timeline"
	"gatewaymeter/stream"
)

// clock prints a time as timelines write it.
func clock(t stream.Time) string { return timeline.Clock(t) }

// effect is what goes on because of a signal.
func effect(s stream.Signal) string {
	var parts []string
	if s.Status == stream.Active {
		parts = append(parts, "active")
	}
	if s.Watermark != stream.NoTime {
		parts = append(parts, "watermark "+clock(s.Watermark))
	}
	if s.Status == stream.Idle {
		parts = append(parts, "idle")
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// channels prints what is known of splits or inputs.
func channels(of any) string {
	r, ok := of.(stream.TimeReporter)
	if !ok {
		return ""
	}
	var lines []string
	for _, c := range r.Channels() {
		line := fmt.Sprintf("%d at %s", c.Channel, clock(c.Watermark))
		for _, flag := range []struct {
			on   bool
			name string
		}{{c.Idle, "idle"}, {c.Ended, "ended"}, {c.Paused, "paused"}, {c.Unaligned, "unaligned"}} {
			if flag.on {
				line += " " + flag.name
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}
