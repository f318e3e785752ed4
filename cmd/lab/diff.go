package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"gatewaymeter/internal/kit/course"
	"gatewaymeter/internal/kit/starter"
	"gatewaymeter/internal/kit/udiff"
)

func init() { register(newDiffCommand) }

func newDiffCommand() *cobra.Command {
	var mine bool
	cmd := &cobra.Command{
		Use:     "diff LAB [EXERCISE]",
		GroupID: groupLearn,
		Short:   "Show what the exercises are: the starter against our solution",
		Long: "Shows the difference from a lab's starter, as it came, to our solution: what the exercises\n" +
			"are. It contains the answers. With an exercise, only the parts between its markers. --mine shows\n" +
			"the difference from your own starter instead.",
		Example: "  go tool lab diff 03\n  go tool lab diff 03 3d\n  go tool lab diff 03 --mine",
		Args:    args(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			repo, lab, exercise, err := openLab(args)
			if err != nil {
				return err
			}
			pairs, err := filePairs(repo, lab, mine)
			if err != nil {
				return err
			}
			for _, p := range pairs {
				if exercise != "" {
					if err := p.keepOnly(exercise); err != nil {
						return err
					}
				}
				printDiff(cmd.OutOrStdout(), udiff.Unified(p.oldLabel, p.newLabel, p.old, p.new))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&mine, "mine", false, "compare your own starter")
	return cmd
}

// filePair is a file of the starter and the same file of the solution.
type filePair struct {
	oldLabel, newLabel string
	old, new           string
}

// filePairs reads the starter (as generated, or the student's) beside the solution.
func filePairs(repo *course.Repo, lab *course.Lab, mine bool) ([]*filePair, error) {
	old, err := oldSide(repo, lab, mine)
	if err != nil {
		return nil, err
	}
	names, err := starter.GoFiles(lab.Solution())
	if err != nil {
		return nil, err
	}
	for name := range old {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var pairs []*filePair
	for _, name := range names {
		path := filepath.Join(lab.Solution(), name)
		text, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		pairs = append(pairs, &filePair{
			oldLabel: repo.Rel(filepath.Join(lab.Starter(), name)), old: old[name],
			newLabel: repo.Rel(path), new: string(text),
		})
	}
	return pairs, nil
}

func oldSide(repo *course.Repo, lab *course.Lab, mine bool) (map[string]string, error) {
	old := map[string]string{}
	if !mine {
		files, err := starter.Generate(repo, lab)
		for _, f := range files {
			old[f.Name] = string(f.Text)
		}
		return old, err
	}
	names, err := starter.GoFiles(lab.Starter())
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(lab.Starter(), name))
		if err != nil {
			return nil, err
		}
		old[name] = string(text)
	}
	return old, nil
}

// keepOnly makes both sides equal but for the regions of one exercise.
func (p *filePair) keepOnly(exercise string) error {
	oldRegions, err := starter.Regions(p.oldLabel, []byte(p.old))
	if err != nil {
		return err
	}
	newRegions, err := starter.Regions(p.newLabel, []byte(p.new))
	if err != nil {
		return err
	}
	var oldTexts []string
	for _, r := range oldRegions {
		if r.Exercise == exercise {
			oldTexts = append(oldTexts, r.Text([]byte(p.old)))
		}
	}
	var out strings.Builder
	at, n := 0, 0
	for _, r := range newRegions {
		if r.Exercise != exercise {
			continue
		}
		if n == len(oldTexts) {
			return fmt.Errorf("%s has %d regions of %s between markers, where the solution has more", p.oldLabel, n, exercise)
		}
		from, to := r.Bytes()
		out.WriteString(p.new[at:from])
		out.WriteString(oldTexts[n])
		at, n = to, n+1
	}
	out.WriteString(p.new[at:])
	p.old = out.String()
	return nil
}

// printDiff writes a diff, in colours on a terminal.
func printDiff(out io.Writer, diff string) {
	colours := isTerminal(out)
	for line := range strings.Lines(diff) {
		if colours {
			body := strings.TrimSuffix(line, "\n")
			switch body[0] {
			case '+':
				line = text.FgGreen.Sprint(body) + "\n"
			case '-':
				line = text.FgRed.Sprint(body) + "\n"
			case '@':
				line = text.FgCyan.Sprint(body) + "\n"
			}
		}
		fmt.Fprint(out, line)
	}
}
