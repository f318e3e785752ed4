package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
	"gatewaymeter/internal/kit/kittest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"lab": main, "lab-broken": mainBroken, "lab-checked": mainChecked})
}

// TestScripts runs the commands as a user does. A script has the repository's root in ROOT, and may
// call `clone` to work in a small clone with two tiny labs (see package kittest).
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS").Output()
	require.NoError(t, err)
	goEnv := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			for i, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS"} {
				if i < len(goEnv) {
					env.Setenv(name, goEnv[i])
				}
			}
			env.Setenv("ROOT", root)
			env.Setenv("BROKER", "")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"clone":    scriptClone,
			"exits":    scriptExits,
			"change":   scriptChange,
			"waitfile": scriptWaitFile,
			"until":    scriptUntil,
			"freeport": scriptFreePort,
			"waitport": scriptWaitPort,

			"waitcheckpoint": scriptWaitCheckpoint,

			"checkpoints": scriptCheckpoints,
			"truncate":    scriptTruncate,
		},
		Condition: func(name string) (bool, error) {
			if name != "docker" {
				return false, fmt.Errorf("there is no condition %q", name)
			}
			return exec.Command("docker", "info").Run() == nil, nil
		},
	})
}

// scriptClone makes a clone in $WORK/clone and moves there.
func scriptClone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: clone")
	}
	dir := ts.MkAbs("clone")
	ts.Check(os.MkdirAll(dir, 0o755))
	_, err := kittest.CloneTo(dir)
	ts.Check(err)
	ts.Check(ts.Chdir(dir))
}

// scriptExits runs a command that must end with the given code: exits 3 lab test 09. Its output is in
// stdout and stderr, as after exec.
func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit %s, want %s", got, args[0])
	}
}

// scriptChange replaces a text that a file must contain: change FILE OLD NEW.
func scriptChange(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: change FILE OLD NEW")
	}
	path := ts.MkAbs(args[0])
	text, err := os.ReadFile(path)
	ts.Check(err)
	if !strings.Contains(string(text), args[1]) {
		ts.Fatalf("%s does not contain %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(path, []byte(strings.Replace(string(text), args[1], args[2], 1)), 0o644))
}

// patience is how long a script waits for what must come, on a busy machine too.
const patience = 5 * time.Minute

// scriptWaitFile waits until a file exists: waitfile FILE.
func scriptWaitFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitfile FILE")
	}
	path := ts.MkAbs(args[0])
	scriptWait(ts, args[0]+" did not appear", func() bool {
		_, err := os.Stat(path)
		return err == nil
	})
}

// scriptWait waits until a condition holds.
func scriptWait(ts *testscript.TestScript, complaint string, holds func() bool) {
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for end := time.Now().Add(patience); !holds(); <-look.C {
		if time.Now().After(end) {
			ts.Fatalf("%s", complaint)
		}
	}
}

// scriptUntil runs a command again and again until it ends well and its standard output matches:
// until REGEX COMMAND…. That output is in stdout then, as after exec.
func scriptUntil(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until REGEX COMMAND…")
	}
	want := regexp.MustCompile(args[0])
	scriptWait(ts, "no output matched "+args[0], func() bool {
		return ts.Exec(args[1], args[2:]...) == nil && want.MatchString(ts.ReadFile("stdout"))
	})
}

// scriptFreePort puts a port of 127.0.0.1 that is free into a variable: freeport VARIABLE.
func scriptFreePort(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: freeport VARIABLE")
	}
	port, err := broker.FreePort()
	ts.Check(err)
	ts.Setenv(args[0], port)
}

// scriptWaitPort waits until something listens on a port: waitport PORT.
func scriptWaitPort(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitport PORT")
	}
	scriptWait(ts, "nothing listens on port "+args[0], func() bool {
		c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", args[0]))
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// TestEveryCommandHasHelp: a summary, a description and an example that names the command.
func TestEveryCommandHasHelp(t *testing.T) {
	for _, cmd := range newRoot().Commands() {
		if cmd.Name() == "help" || cmd.Name() == "completion" {
			continue
		}
		require.NotEmpty(t, cmd.Short, cmd.Name())
		require.NotEmpty(t, cmd.Long, cmd.Name())
		require.Contains(t, cmd.Example, "go tool lab "+cmd.Name(), cmd.Name())
		require.True(t, cmd.Hidden || cmd.GroupID != "", "%s has no group", cmd.Name())
	}
}

// TestFlagsNameTheirValues: pflag takes what stands between backticks in a flag's text for the name of
// its value, so a command that is quoted there would stand where the value should.
func TestFlagsNameTheirValues(t *testing.T) {
	for _, cmd := range newRoot().Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			value, _ := pflag.UnquoteUsage(f)
			require.NotContains(t, value, " ", "%s --%s", cmd.Name(), f.Name)
		})
	}
}
