package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"

	"gatewaymeter/internal/kit/course"
	"gatewaymeter/internal/kit/run"
	"gatewaymeter/internal/kit/suite"
)

// The tables of `lab test` and `lab list` fit an ordinary terminal, and say all the same.
func TestTablesFitTheTerminal(t *testing.T) {
	const width = 80
	title := "Operator list state: a buffering sink; even-split and union; IsRestored"
	lab := &course.Lab{Name: "03-stateful-operators", Exercises: []course.Exercise{
		{ID: "3i", Title: title, Minutes: 35},
		{ID: "scenario", Title: "Running totals per tenant, and the leak, on Kafka"},
	}}
	results := []run.Result{{Exercise: "3i", Outcome: suite.OutcomePass}, {Exercise: "scenario", Outcome: suite.OutcomeHarness, MS: 10_000}}
	for name, show := range map[string]func(*bytes.Buffer, int){
		"test": func(out *bytes.Buffer, width int) { showTable(out, width, lab, results) },
		"list": func(out *bytes.Buffer, width int) { listTable(out, width, []*course.Lab{lab}) },
	} {
		t.Run(name, func(t *testing.T) {
			var narrow, wide bytes.Buffer
			show(&narrow, width)
			show(&wide, 0)
			require.Contains(t, wide.String(), title, "without a width a title stands on one line")
			for line := range strings.Lines(narrow.String()) {
				require.LessOrEqual(t, text.StringWidthWithoutEscSequences(strings.TrimRight(line, "\n")), width, line)
			}
			for word := range strings.FieldsSeq(title) {
				require.Contains(t, narrow.String(), word)
			}
		})
	}
}
