package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"gatewaymeter/internal/kit/course"
)

// The groups of commands in the help.
const (
	groupRun   = "run"
	groupLearn = "learn"
	groupKeep  = "keep"
)

// makers make the commands, one a file, each with its own flags: two runs of the program in one
// process (tests) share nothing.
var makers []func() *cobra.Command

// register adds a command; each command's file calls it in init.
func register(newCommand func() *cobra.Command) { makers = append(makers, newCommand) }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "lab",
		Short:         "GatewayMeter: a stateful streaming job, and the course that builds it",
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "go tool lab"},
		SilenceErrors: true, // execute prints them
		SilenceUsage:  true,
		Example:       "  go tool lab run\n  go tool lab list\n  go tool lab test 03",
	}
	root.SuggestionsMinimumDistance = 2
	root.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return noCommand(cmd, args[0])
	}
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	root.PersistentPreRunE = checkMine
	root.SetHelpCommand(newHelpCommand(root))
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddGroup(
		&cobra.Group{ID: groupRun, Title: "Run the job:"},
		&cobra.Group{ID: groupLearn, Title: "Take the course:"},
		&cobra.Group{ID: groupKeep, Title: "Keep the course:"},
	)
	root.SetFlagErrorFunc(flagError)
	var commands []*cobra.Command
	for _, newCommand := range makers {
		commands = append(commands, newCommand())
	}
	sort.Slice(commands, func(i, j int) bool { return commands[i].Name() < commands[j].Name() })
	root.AddCommand(commands...)
	return root
}

// noCommand is the error of a command that is not there.
func noCommand(root *cobra.Command, name string) error {
	hint := "go tool lab --help lists them"
	if near := root.SuggestionsFor(name); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("there is no command %q (%s)", name, hint)
}

// newHelpCommand is cobra's help command, but for a command that is not there, which is an error.
func newHelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, left, err := root.Find(args)
			if err == nil && len(left) == 0 {
				return cmd.Help()
			}
			return noCommand(root, strings.Join(args, " "))
		},
	}
}

// openRepo is the clone that the command runs in.
func openRepo() (*course.Repo, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return course.Find(dir)
}

// openLabs is the clone and the labs that a command's arguments name: all without one.
func openLabs(args []string) (*course.Repo, []*course.Lab, error) {
	repo, err := openRepo()
	if err != nil {
		return nil, nil, err
	}
	labs, err := repo.Select(args...)
	return repo, labs, err
}

// openLab is the clone, the lab that a command's first argument names, and the exercise that its second
// names; empty without one.
func openLab(args []string) (repo *course.Repo, lab *course.Lab, exercise string, err error) {
	if repo, err = openRepo(); err != nil {
		return nil, nil, "", err
	}
	if lab, err = repo.Lab(args[0]); err != nil {
		return nil, nil, "", err
	}
	if len(args) == 2 {
		exercise = args[1]
		if lab.Exercise(exercise) == nil {
			return nil, nil, "", fmt.Errorf("lab %s has no exercise %q (go tool lab list %02d shows them)", lab.Name, exercise, lab.Number)
		}
	}
	return repo, lab, exercise, nil
}

// isTerminal reports whether w is one: then output has tables and colours, unless NO_COLOR forbids them.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return false
	}
	if os.Getenv("NO_COLOR") != "" {
		text.DisableColors()
	}
	return true
}

// terminalWidth is the columns of the terminal that w is; 0 if it is none, or does not say.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// fitted is a table's column that wraps, so that beside others, which take so many columns with all
// lines, it fits into a terminal of that width; 0: it may be as wide as it likes.
func fitted(name string, width, others int) table.ColumnConfig {
	c := table.ColumnConfig{Name: name}
	if width > 0 {
		c.WidthMax, c.WidthMaxEnforcer = max(width-others, 16), text.WrapSoft
	}
	return c
}

// printJSON writes v as one line.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
