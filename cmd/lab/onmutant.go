package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gatewaymeter/internal/kit/course"
	"gatewaymeter/internal/kit/mutant"
	"gatewaymeter/internal/kit/overlay"
)

// onOtherCode runs the command on the code that --mine or --mutant names, if one does: other.
func onOtherCode(cmd *cobra.Command, mine []string, mutant string) (other bool, err error) {
	switch {
	case len(mine) > 0 && mutant != "":
		return true, errors.New("--mine and --mutant do not go together: a mutant is our solution with one thing wrong")
	case len(mine) > 0:
		return true, runMine(cmd, mine)
	case mutant != "":
		return true, runMutant(cmd, mutant)
	}
	return false, nil
}

// runMutant builds this program over a known-wrong solution, LAB/NAME, and runs the same command with it.
func runMutant(cmd *cobra.Command, name string) error {
	return runOn(cmd, code{"--mutant " + name, "mutant " + name, func(repo *course.Repo, tmp string) ([]overlay.Mapping, error) {
		lab, m, err := findMutant(repo, name)
		if err != nil {
			return nil, err
		}
		mutated := filepath.Join(tmp, "mutated")
		if err := os.Mkdir(mutated, 0o755); err != nil {
			return nil, err
		}
		if err := m.Apply(lab, mutated); err != nil {
			return nil, fmt.Errorf("--mutant %s: %w", name, err)
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "lab: mutant %s: %s\n", name, m.Misconception)
		return []overlay.Mapping{{Target: lab.Solution(), Source: mutated, Shown: lab.Solution()}}, nil
	}})
}

func findMutant(repo *course.Repo, name string) (*course.Lab, *mutant.Mutant, error) {
	number, short, _ := strings.Cut(name, "/")
	lab, err := repo.Lab(number)
	if err != nil {
		return nil, nil, fmt.Errorf("--mutant %s: write it as LAB/NAME: %w", name, err)
	}
	all, err := mutant.Load(lab)
	if err != nil {
		return nil, nil, err
	}
	for _, m := range all {
		if m.Name == short {
			return lab, m, nil
		}
	}
	return nil, nil, fmt.Errorf("--mutant %s: lab %s has no mutant %q (go tool lab mutants %02d runs them all)", name, lab.Name, short, lab.Number)
}
