package oracle

import (
	"fmt"
	"time"
)

// CheckWindows compares topic invoice together with topic late (from stage 04 on). Lines come in the
// order in which they were read from their partitions; for each tenant and minute the last one stands.
//
// Every bill must be in its window or in topic late, once; those that are surely on time must be in the
// window. A window whose bills all come before the watermark can pass its end fires once.
func (v *Invoice) CheckWindows(got []Window, late []Record) []Difference {
	inWindows, allowed := v.splitLate(late)
	ds := compare("invoice", windowLines(windows(inWindows)), windowLines(v.standing(got)), v.Options.Repeats)
	return append(ds, compare("late", allowed, recordLines(late), v.Options.Repeats)...)
}

// splitLate divides the bills into those that must be in windows and those that topic late holds and
// may hold.
func (v *Invoice) splitLate(late []Record) (inWindows []Bill, allowed []line) {
	there := map[string]bool{}
	for _, r := range late {
		there[r.RequestID] = true
	}
	for _, b := range v.Bills {
		if there[b.RequestID] && !b.Surely {
			allowed = append(allowed, line{b.RequestID, b.Record.String()})
		} else {
			inWindows = append(inWindows, b)
		}
	}
	return inWindows, allowed
}

// standing drops the lines that a later one of the same window replaces, for windows that may rightly
// fire more than once: those with a bill that may come after their end.
func (v *Invoice) standing(got []Window) []Window {
	refires := map[windowID]bool{}
	for _, b := range v.Bills {
		if !b.onTime {
			refires[b.window()] = true
		}
	}
	last := map[windowID]int{}
	for i, w := range got {
		last[w.id()] = i
	}
	var lines []Window
	for i, w := range got {
		if !refires[w.id()] || last[w.id()] == i {
			lines = append(lines, w)
		}
	}
	return lines
}

func (w Window) id() windowID { return windowID{w.Start, w.TenantID} }

func windowLines(ws []Window) []line {
	lines := make([]line, len(ws))
	for i, w := range ws {
		at := time.UnixMilli(w.Start).UTC().Format("2006-01-02T15:04:05.999Z")
		text := fmt.Sprintf("%d requests, %s", w.Requests, dollars(w.Sum))
		if w.End != w.Start+minute {
			text += fmt.Sprintf(", a window of %d ms", w.End-w.Start)
		}
		lines[i] = line{at + " " + w.TenantID, text}
	}
	return lines
}
