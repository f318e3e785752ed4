package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"gatewaymeter/internal/kit/course"
)

func init() { register(newListCommand) }

// listed is one line of `lab list --json`.
type listed struct {
	Lab      string `json:"lab"`
	Exercise string `json:"exercise"`
	Title    string `json:"title"`
	Minutes  int    `json:"minutes"`
	Optional bool   `json:"optional"`
}

func newListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list [LAB…]",
		GroupID: groupLearn,
		Short:   "Show the labs and their exercises",
		Long: "Shows the labs and their exercises, with the minutes that each takes.\n" +
			"Exercises like 3d are built, investigations like 3.2 are found out. ○ marks what may be left out.",
		Example: "  go tool lab list\n  go tool lab list 03",
		RunE: func(cmd *cobra.Command, args []string) error {
			_, labs, err := openLabs(args)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			switch {
			case asJSON:
				return listJSON(out, labs)
			case isTerminal(out):
				listTable(out, terminalWidth(out), labs)
				return nil
			default:
				return listPlain(out, labs)
			}
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

func listJSON(out io.Writer, labs []*course.Lab) error {
	for _, lab := range labs {
		for _, e := range lab.Exercises {
			if err := printJSON(out, listed{lab.Name, e.ID, e.Title, e.Minutes, e.Optional}); err != nil {
				return err
			}
		}
	}
	return nil
}

// listTable fits the table into a terminal of that width, in columns; 0: however wide it gets.
func listTable(out io.Writer, width int, labs []*course.Lab) {
	t := table.NewWriter()
	t.SetOutputMirror(out)
	t.SetStyle(table.StyleRounded)
	t.AppendHeader(table.Row{"lab", "exercise", "what", "min"})
	t.SetColumnConfigs([]table.ColumnConfig{
		{Name: "lab", AutoMerge: true},
		fitted("what", width, text.StringWidthWithoutEscSequences("│ 03-stateful-operators │ exercise │  │ min │")),
	})
	for _, lab := range labs {
		for _, e := range lab.Exercises {
			t.AppendRow(table.Row{lab.Name, mark(e), e.Title, minutes(e)})
		}
		t.AppendSeparator()
	}
	t.Render()
}

func listPlain(out io.Writer, labs []*course.Lab) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, lab := range labs {
		for _, e := range lab.Exercises {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", lab.Name, mark(e), minutes(e), e.Title)
		}
	}
	return w.Flush()
}

func mark(e course.Exercise) string {
	if e.Optional {
		return e.ID + " ○"
	}
	return e.ID
}

func minutes(e course.Exercise) string {
	if e.Minutes == 0 {
		return ""
	}
	return fmt.Sprintf("%d", e.Minutes)
}
