package udiff

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Patch is the changes to one file.
type Patch struct {
	File  string // base name of the new side
	hunks []hunk
}

// hunk is one change with its surroundings.
type hunk struct {
	at       int // line in the old text, from 1
	line     int // of the patch's own text, for messages
	old, new []string
}

var hunkHead = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// Parse reads a unified diff. What stands before a file's "---" line is skipped.
func Parse(text string) ([]Patch, error) {
	var patches []Patch
	all := lines(text)
	for i := 0; i < len(all); {
		line := strings.TrimRight(all[i], "\n")
		switch {
		case strings.HasPrefix(line, "--- ") && i+1 < len(all) && strings.HasPrefix(all[i+1], "+++ "):
			name, _, _ := strings.Cut(strings.TrimRight(all[i+1][4:], "\n"), "\t")
			patches = append(patches, Patch{File: path.Base(strings.TrimSpace(name))})
			i += 2
		case hunkHead.MatchString(line):
			if len(patches) == 0 {
				return nil, fmt.Errorf("line %d: a hunk before any --- and +++ lines", i+1)
			}
			h, next, err := parseHunk(all, i)
			if err != nil {
				return nil, err
			}
			p := &patches[len(patches)-1]
			p.hunks = append(p.hunks, h)
			i = next
		case len(patches) > 0 && strings.HasPrefix(line, "@@"):
			return nil, fmt.Errorf("line %d: %q is no hunk's first line", i+1, line)
		default:
			i++
		}
	}
	for _, p := range patches {
		if len(p.hunks) == 0 {
			return nil, fmt.Errorf("the patch of %s changes nothing", p.File)
		}
	}
	return patches, nil
}

// parseHunk reads the hunk that begins at all[i], and returns where the next thing begins.
func parseHunk(all []string, i int) (hunk, int, error) {
	m := hunkHead.FindStringSubmatch(all[i])
	count := func(s string) int {
		if s == "" {
			return 1
		}
		n, _ := strconv.Atoi(s) // digits only
		return n
	}
	h := hunk{line: i + 1, at: max(1, count(m[1]))}
	oldLeft, newLeft := count(m[2]), count(m[4])
	for i++; oldLeft > 0 || newLeft > 0; i++ {
		if i == len(all) {
			return h, i, fmt.Errorf("line %d: the hunk ends too early: %d old and %d new lines are missing", h.line, oldLeft, newLeft)
		}
		kind, text := byte(' '), all[i]
		if text != "\n" { // an empty line of context may have lost its space
			kind, text = text[0], text[1:]
		}
		switch kind {
		case ' ':
			h.old, h.new = append(h.old, text), append(h.new, text)
			oldLeft, newLeft = oldLeft-1, newLeft-1
		case '-':
			h.old = append(h.old, text)
			oldLeft--
		case '+':
			h.new = append(h.new, text)
			newLeft--
		case '\\':
			h.chomp(all[i-1][0])
		default:
			return h, i, fmt.Errorf("line %d: a line of a hunk begins with a space, - or +", i+1)
		}
	}
	if i < len(all) && strings.HasPrefix(all[i], `\`) {
		h.chomp(all[i-1][0])
		i++
	}
	return h, i, nil
}

// chomp takes the newline off the last line of the side that kind names: the file ends without one.
func (h *hunk) chomp(kind byte) {
	cut := func(side []string) {
		if n := len(side); n > 0 {
			side[n-1] = strings.TrimSuffix(side[n-1], "\n")
		}
	}
	if kind != '+' {
		cut(h.old)
	}
	if kind != '-' {
		cut(h.new)
	}
}

// Apply changes a text. A hunk that does not stand at its line is looked for elsewhere after the one
// before; it must stand there once.
func (p Patch) Apply(text string) (string, error) {
	rest := lines(text)
	var out []string
	taken := 0 // lines of text already in out
	for _, h := range p.hunks {
		at, err := h.find(rest, h.at-1-taken)
		if err != nil {
			return "", fmt.Errorf("%s: the hunk of the patch's line %d %w", p.File, h.line, err)
		}
		out = append(out, rest[:at]...)
		out = append(out, h.new...)
		taken += at + len(h.old)
		rest = rest[at+len(h.old):]
	}
	return strings.Join(append(out, rest...), ""), nil
}

// find is where the old side of h stands in the lines: at the hinted place, or at the only other one.
func (h hunk) find(in []string, hint int) (int, error) {
	fits := func(at int) bool {
		return at >= 0 && at+len(h.old) <= len(in) && slices.Equal(in[at:at+len(h.old)], h.old)
	}
	if fits(hint) {
		return hint, nil
	}
	if len(h.old) == 0 {
		return 0, fmt.Errorf("has no context and lies outside of the file")
	}
	found := -1
	for at := range in {
		if !fits(at) {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("fits in more than one place, and not at its line number")
		}
		found = at
	}
	if found < 0 {
		return 0, fmt.Errorf("does not fit any more: its context or its - lines are gone")
	}
	return found, nil
}
