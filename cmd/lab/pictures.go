package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gatewaymeter/internal/picture"
	"gatewaymeter/internal/picture/scene"
	"gatewaymeter/stream/trace"
)

// newDocsPicturesCommand is for maintainers: it draws the chapters' pictures from traces.
func newDocsPicturesCommand() *cobra.Command {
	var check bool
	var name string
	cmd := &cobra.Command{
		Use:   "pictures",
		Short: "Draw the chapters' pictures from traces of the engine (for maintainers)",
		Long: "Plays every script in docs/pictures on the labs' solutions, writes below each step what it caused,\n" +
			"and draws the picture from that trace. A script whose expectations come from elsewhere stays as it is.",
		Example: "  go tool lab docs pictures\n  go tool lab docs pictures --check\n  go tool lab docs pictures --trace 04-lateness",
		Args:    args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			repo, err := openRepo()
			if err != nil {
				return err
			}
			if name != "" {
				return printTrace(cmd, repo.Root, name)
			}
			return drawPictures(cmd, repo.Root, check)
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "write nothing; exit with 1 if a picture has fallen behind")
	cmd.Flags().StringVar(&name, "trace", "", "print the trace behind a picture, as JSON, an object a line")
	return cmd
}

func drawPictures(cmd *cobra.Command, root string, check bool) error {
	files, err := picture.Files(root)
	if err != nil {
		return failed(err)
	}
	stale := picture.Stale(root, files)
	for _, f := range stale {
		if check {
			fmt.Fprintln(cmd.OutOrStdout(), "has fallen behind:", filepath.ToSlash(f.Path))
			continue
		}
		if err := os.WriteFile(filepath.Join(root, f.Path), f.Content, 0o644); err != nil {
			return err
		}
		fmt.Fprintln(cmd.OutOrStdout(), "drawn:", filepath.ToSlash(f.Path))
	}
	if check && len(stale) > 0 {
		return exit(exitWrong)
	}
	return nil
}

func printTrace(cmd *cobra.Command, root, name string) error {
	scenes, err := scene.ReadAll(filepath.Join(root, picture.Dir))
	if err != nil {
		return err
	}
	var names []string
	for _, s := range scenes {
		if s.Name != name {
			names = append(names, s.Name)
			continue
		}
		if err := s.Play(); err != nil {
			return failed(err)
		}
		return trace.Write(cmd.OutOrStdout(), s.Whole())
	}
	return fmt.Errorf("there is no picture %q; there are %s", name, strings.Join(names, ", "))
}
