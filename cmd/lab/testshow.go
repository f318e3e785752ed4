package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"gatewaymeter/internal/kit/course"
	"gatewaymeter/internal/kit/run"
	"gatewaymeter/internal/kit/suite"
)

var outcomeColours = map[string]text.Color{
	suite.OutcomePass:    text.FgGreen,
	suite.OutcomeTodo:    text.FgYellow,
	suite.OutcomeWrong:   text.FgRed,
	suite.OutcomeHarness: text.FgMagenta,
}

// showResults prints a lab's outcomes: a table on a terminal, lines elsewhere. What is wrong follows
// in full, and of the TODOs the first: it is what to do next.
func showResults(out io.Writer, lab *course.Lab, results []run.Result) {
	if len(results) == 0 {
		return
	}
	if isTerminal(out) {
		showTable(out, terminalWidth(out), lab, results)
	} else {
		fmt.Fprintln(out, lab.Name)
		for _, r := range results {
			fmt.Fprintf(out, "  %-8s  %-7s  %6.2fs  %s\n", r.Exercise, r.Outcome, seconds(r), titleOf(lab, r))
		}
	}
	showMessages(out, results)
	fmt.Fprintln(out)
}

// showMessages prints what the results say. What several exercises say in the same words, such as those
// of a starter that does not compile, stands there once, for all of them.
func showMessages(out io.Writer, results []run.Result) {
	var order []string
	saying := map[string][]string{} // a message without the exercise -> who says it
	next := true
	for _, r := range results {
		head := r.Outcome + " "
		if r.Outcome == suite.OutcomePass || r.Outcome == suite.OutcomeTodo && !next {
			continue
		}
		message := strings.TrimPrefix(r.Message, head+r.Exercise)
		if r.Outcome == suite.OutcomeTodo {
			next = false
			head = "Next: " + head
		}
		if message = head + "%s" + message; saying[message] == nil {
			order = append(order, message)
		}
		saying[message] = append(saying[message], r.Exercise)
	}
	for _, message := range order {
		fmt.Fprintf(out, "\n%s\n", strings.Replace(message, "%s", strings.Join(saying[message], ", "), 1))
	}
}

// showTable fits the table into a terminal of that width, in columns; 0: however wide it gets.
func showTable(out io.Writer, width int, lab *course.Lab, results []run.Result) {
	t := table.NewWriter()
	t.SetOutputMirror(out)
	t.SetStyle(table.StyleRounded)
	t.SetTitle(lab.Name)
	t.AppendHeader(table.Row{"exercise", "what", "outcome", "time"})
	t.SetColumnConfigs([]table.ColumnConfig{fitted("what", width, text.StringWidthWithoutEscSequences("│ scenario │  │ HARNESS │ 10.00s │"))})
	for _, r := range results {
		t.AppendRow(table.Row{r.Exercise, titleOf(lab, r), outcomeColours[r.Outcome].Sprint(r.Outcome), fmt.Sprintf("%.2fs", seconds(r))})
	}
	t.Render()
}

func showSummary(out io.Writer, s run.Summary) {
	parts := []string{fmt.Sprintf("%d pass", s.Pass)}
	for _, p := range []struct {
		n    int
		name string
	}{{s.Todo, "todo"}, {s.Wrong, "wrong"}, {s.Harness, "harness"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.name))
		}
	}
	fmt.Fprintln(out, strings.Join(parts, ", "))
}

func seconds(r run.Result) float64 { return float64(r.MS) / 1000 }

func titleOf(lab *course.Lab, r run.Result) string {
	if e := lab.Exercise(r.Exercise); e != nil {
		return e.Title
	}
	return ""
}
