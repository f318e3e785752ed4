package starter

import (
	"fmt"
	"strings"

	"gatewaymeter/internal/kit/course"
)

const (
	beginMark = "//lab:begin"
	endMark   = "//lab:end"
)

// Region is what stands between two markers of a file.
type Region struct {
	Exercise   string
	Begin, End int // lines of the markers, from 1
	from, to   int // bytes between the markers' lines
}

// Fault is a rule of regions that a file breaks.
type Fault struct {
	File string
	Line int
	Text string
}

func (f *Fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text) }

// Regions finds the marked regions of a source text, in order. It looks at lines only, so it also
// reads a file that does not parse. The error is a *Fault.
func Regions(file string, src []byte) ([]Region, error) {
	var all []Region
	var open *Region
	fault := func(line int, format string, args ...any) error {
		return &Fault{File: file, Line: line, Text: fmt.Sprintf(format, args...)}
	}
	at, line := 0, 0
	for text := range strings.Lines(string(src)) {
		line++
		next := at + len(text)
		trimmed := strings.TrimSpace(text)
		id, begins := strings.CutPrefix(trimmed, beginMark)
		switch {
		case begins:
			id = strings.TrimSpace(id)
			if open != nil {
				return nil, fault(line, "region %s begins inside region %s of line %d: regions do not nest", id, open.Exercise, open.Begin)
			}
			if !course.IsExerciseID(id) {
				return nil, fault(line, "%q is no exercise id: write //lab:begin 3d, or 3.2 for an investigation", id)
			}
			open = &Region{Exercise: id, Begin: line, from: next}
		case trimmed == endMark:
			if open == nil {
				return nil, fault(line, "//lab:end without //lab:begin")
			}
			open.End, open.to = line, at
			all = append(all, *open)
			open = nil
		case strings.Contains(text, "lab:begin") || strings.Contains(text, "lab:end"):
			if looksLikeMark(trimmed) {
				return nil, fault(line, "a marker is written //lab:begin 3d or //lab:end, without a space, alone on its line")
			}
		}
		at = next
	}
	if open != nil {
		return nil, fault(open.Begin, "region %s is not closed: //lab:end is missing", open.Exercise)
	}
	return all, nil
}

// looksLikeMark tells a marker that is written wrongly from prose that mentions one.
func looksLikeMark(line string) bool {
	_, comment, ok := strings.Cut(line, "//")
	comment = strings.TrimSpace(comment)
	return ok && (strings.HasPrefix(comment, "lab:begin") || strings.HasPrefix(comment, "lab:end"))
}

// Bytes is where the region's text stands, between the lines of its markers.
func (r Region) Bytes() (from, to int) { return r.from, r.to }

// Text is the region's text in the source that it was found in.
func (r Region) Text(src []byte) string { return string(src[r.from:r.to]) }
