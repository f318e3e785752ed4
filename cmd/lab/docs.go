package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"gatewaymeter/internal/book"
	"gatewaymeter/internal/crashtable"
)

func init() { register(newDocsCommand) }

func newDocsCommand() *cobra.Command {
	var addr string
	cmd := &cobra.Command{
		Use:     "docs",
		GroupID: groupLearn,
		Short:   "Read the course in a browser",
		Long:    "Serves the chapters, with the code in them taken from the files that are compiled. Ctrl-C ends it.",
		Example: "  go tool lab docs\n  go tool lab docs --addr 127.0.0.1:9000\n  go tool lab docs build /tmp/course",
		Args:    args(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return serveDocs(cmd, addr) },
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:8642", "where to listen; loopback unless you say otherwise")
	cmd.AddCommand(newDocsBuildCommand(), newDocsSyncCommand(), newDocsPicturesCommand())
	return cmd
}

// openBook opens the course of the clone that the command runs in.
func openBook() (root string, b *book.Book, err error) {
	repo, err := openRepo()
	if err != nil {
		return "", nil, err
	}
	b, err = book.Open(repo.Root)
	return repo.Root, b, err
}

func serveDocs(cmd *cobra.Command, addr string) error {
	_, b, err := openBook()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("--addr %s: choose another, such as 127.0.0.1:0 for a free port: %w", addr, err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "The course is at http://%s/ (Ctrl-C ends this)\n", listener.Addr())
	server := &http.Server{Handler: b.Handler()}
	stop := context.AfterFunc(cmd.Context(), func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func newDocsBuildCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "build DIR",
		Short:   "Write the course as HTML files",
		Example: "  go tool lab docs build /tmp/course",
		Args:    args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, b, err := openBook()
			if err != nil {
				return err
			}
			if err := b.Build(args[0]); err != nil {
				return fmt.Errorf("the course cannot be written to %s, choose another folder: %w", args[0], err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d pages in %s\n", len(b.Pages()), args[0])
			return nil
		},
	}
}

// newDocsSyncCommand is for maintainers: it brings the code and the tables that the pages include up to
// date.
func newDocsSyncCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "sync",
		Short:   "Bring code and tables in the chapters up to date (for maintainers)",
		Example: "  go tool lab docs sync",
		Args:    args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			root, _, err := openBook()
			if err != nil {
				return err
			}
			paths, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
			if err != nil {
				return err
			}
			var tables crashtable.Tables
			for _, p := range paths {
				if err := syncPage(cmd, root, p, &tables); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func syncPage(cmd *cobra.Command, root, path string, tables *crashtable.Tables) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	name := "docs/" + filepath.Base(path)
	synced, err := book.Sync(root, name, src)
	if err == nil {
		synced, err = tables.Sync(name, synced)
	}
	if err != nil || bytes.Equal(src, synced) {
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), "brought up to date:", name)
	return os.WriteFile(path, synced, 0o644)
}
