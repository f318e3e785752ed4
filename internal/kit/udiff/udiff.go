// Package udiff writes unified diffs and applies them.
//
// It promises that Apply(old, Unified(…old, new…)) is new, and that a hunk whose line numbers have
// drifted is still found by its text, if that text stands in the file once. It needs neither diff nor
// patch nor git on the machine. It leaves reading and writing files to others, and knows no renames,
// modes or binary files.
package udiff

import (
	"fmt"
	"strings"
)

// context is how many equal lines surround a change.
const context = 3

// op is one line of an edit script: kept (' '), deleted ('-') or inserted ('+').
type op struct {
	kind byte
	text string // with its newline, if it has one
}

// Unified is the difference of two texts in the unified format, under the two labels; empty if they
// are equal.
func Unified(oldLabel, newLabel, old, new string) string {
	if old == new {
		return ""
	}
	ops := script(lines(old), lines(new))
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", oldLabel, newLabel)
	oldLine, newLine := 1, 1
	for i := 0; i < len(ops); {
		if ops[i].kind == ' ' {
			i, oldLine, newLine = i+1, oldLine+1, newLine+1
			continue
		}
		start := max(0, i-context)
		end := hunkEnd(ops, i)
		lead := i - start
		writeHunk(&b, ops[start:end], oldLine-lead, newLine-lead)
		for ; i < end; i++ {
			if ops[i].kind != '+' {
				oldLine++
			}
			if ops[i].kind != '-' {
				newLine++
			}
		}
	}
	return b.String()
}

// hunkEnd is the end of the hunk whose first change is ops[i]: changes that are at most 2*context
// lines apart share one.
func hunkEnd(ops []op, i int) int {
	end := i
	for j := i; j < len(ops) && j-end <= 2*context; j++ {
		if ops[j].kind != ' ' {
			end = j + 1
		}
	}
	return min(len(ops), end+context)
}

func writeHunk(b *strings.Builder, ops []op, oldLine, newLine int) {
	oldCount, newCount := 0, 0
	for _, o := range ops {
		if o.kind != '+' {
			oldCount++
		}
		if o.kind != '-' {
			newCount++
		}
	}
	if oldCount == 0 {
		oldLine--
	}
	if newCount == 0 {
		newLine--
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", oldLine, oldCount, newLine, newCount)
	for _, o := range ops {
		b.WriteByte(o.kind)
		b.WriteString(o.text)
		if !strings.HasSuffix(o.text, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// lines divides a text after each newline.
func lines(s string) []string {
	var all []string
	for line := range strings.Lines(s) {
		all = append(all, line)
	}
	return all
}

// script is a shortest edit script by the longest common subsequence, deletions before insertions. It
// takes time and space of len(old)*len(new) without what is equal at both ends: right for source files.
func script(old, new []string) []op {
	var ops, tail []op
	for len(old) > 0 && len(new) > 0 && old[0] == new[0] {
		ops = append(ops, op{' ', old[0]})
		old, new = old[1:], new[1:]
	}
	for len(old) > 0 && len(new) > 0 && old[len(old)-1] == new[len(new)-1] {
		tail = append(tail, op{' ', old[len(old)-1]})
		old, new = old[:len(old)-1], new[:len(new)-1]
	}
	common := make([][]int32, len(old)+1) // common[i][j] of old[i:] and new[j:]
	for i := range common {
		common[i] = make([]int32, len(new)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			if old[i] == new[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(old) || j < len(new) {
		switch {
		case i < len(old) && j < len(new) && old[i] == new[j]:
			ops = append(ops, op{' ', old[i]})
			i, j = i+1, j+1
		case j == len(new) || i < len(old) && common[i+1][j] >= common[i][j+1]:
			ops = append(ops, op{'-', old[i]})
			i++
		default:
			ops = append(ops, op{'+', new[j]})
			j++
		}
	}
	for k := len(tail) - 1; k >= 0; k-- {
		ops = append(ops, tail[k])
	}
	return ops
}
