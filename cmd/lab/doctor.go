package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gatewaymeter/broker"
	"gatewaymeter/internal/scratch"
)

func init() { register(newDoctorCommand) }

// finding is what one check came to.
type finding struct {
	Check    string `json:"check"`
	OK       bool   `json:"ok"`
	Optional bool   `json:"optional"` // something works without it
	Says     string `json:"says"`     // what is there, or what is wrong and what to do
}

func newDoctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "doctor",
		GroupID: groupRun,
		Short:   "Check this machine, and say what to do about what is wrong",
		Long: "Checks what a run needs: the clone, Go, its modules, room for files, the embedded Kafka; and what only some\n" +
			"commands need (-- marks those). Exits with 2 if something that every run needs is missing.",
		Example: "  go tool lab doctor",
		Args:    args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			findings := examine(cmd.Context())
			if err := cmd.Context().Err(); err != nil { // what was interrupted says nothing about the machine
				return err
			}
			return tellFindings(cmd.OutOrStdout(), findings, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

// examine runs the checks.
func examine(ctx context.Context) []finding {
	return []finding{checkClone(), checkGo(ctx), checkModules(ctx), checkTemp(), checkKafka(ctx), checkPort(), checkDocker(ctx)}
}

func tellFindings(out io.Writer, findings []finding, asJSON bool) error {
	wrong := false
	for _, f := range findings {
		wrong = wrong || !f.OK && !f.Optional
		if asJSON {
			if err := printJSON(out, f); err != nil {
				return err
			}
			continue
		}
		mark := "ok"
		switch {
		case !f.OK && f.Optional:
			mark = "--"
		case !f.OK:
			mark = "NO"
		}
		fmt.Fprintf(out, "%s  %-16s %s\n", mark, f.Check, f.Says)
	}
	if wrong {
		return exit(exitUsage)
	}
	return nil
}

func checkClone() finding {
	repo, err := openRepo()
	if err != nil {
		return finding{Check: "clone", Says: err.Error()}
	}
	return finding{Check: "clone", OK: true, Says: repo.Root}
}

func checkGo(ctx context.Context) finding {
	out, err := exec.CommandContext(ctx, "go", "version").Output()
	if err != nil {
		return finding{Check: "go", Says: "the go command does not run (" + err.Error() + "): install Go 1.26 or later and put it on PATH"}
	}
	return finding{Check: "go", OK: true, Says: fmt.Sprintf("%s, %d processors", strings.TrimSpace(string(out)), runtime.NumCPU())}
}

// checkModules asks whether every module that a build needs is there or can be had.
func checkModules(ctx context.Context) finding {
	f := finding{Check: "modules"}
	repo, err := openRepo()
	if err != nil {
		f.Says = "not looked for, outside of a clone"
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "./cmd/lab")
	cmd.Dir = repo.Root
	if out, err := cmd.CombinedOutput(); err != nil {
		f.Says = "not all Go modules can be had: check the network or set GOPROXY to a mirror: " + complaint(string(out), err)
		return f
	}
	f.OK, f.Says = true, "all there"
	return f
}

// complaint is the first line of a go command's output that is no news of its progress.
func complaint(out string, err error) string {
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "go: downloading") {
			return line
		}
	}
	return err.Error()
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

func checkTemp() finding {
	dir, remove, err := scratch.New("doctor")
	if err != nil {
		return finding{Check: "temporary files", Says: err.Error() + ": set TMPDIR to a folder that can be written"}
	}
	defer remove()
	if err := os.WriteFile(dir+"/probe", make([]byte, 16<<20), 0o600); err != nil {
		return finding{Check: "temporary files", Says: err.Error() + ": make room, or set TMPDIR elsewhere"}
	}
	return finding{Check: "temporary files", OK: true, Says: "can be written in " + os.TempDir()}
}

func checkKafka(ctx context.Context) finding {
	b, err := broker.Open(ctx, "embedded", broker.Options{})
	if err != nil {
		return finding{Check: "embedded Kafka", Says: err.Error()}
	}
	defer b.Close()
	return finding{Check: "embedded Kafka", OK: true, Says: "answers on " + b.Addr()}
}

func checkPort() finding {
	l, err := net.Listen("tcp", "127.0.0.1:9092")
	if err != nil {
		return finding{Check: "port 9092", Optional: true, Says: "taken: `lab broker` and compose need another (--port); `lab run` does not use it"}
	}
	_ = l.Close()
	return finding{Check: "port 9092", OK: true, Optional: true, Says: "free"}
}

func checkDocker(ctx context.Context) finding {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "docker", "info", "--format", "{{.ServerVersion}}").Output(); err == nil {
		return finding{Check: "docker", OK: true, Optional: true, Says: "version " + firstLine(string(out))}
	}
	return finding{Check: "docker", Optional: true, Says: "no Docker daemon answers: only --broker container and compose need one"}
}
