//go:build unix

package run

import (
	"os/exec"
	"syscall"
)

// ownGroup makes cmd the leader of a process group, so that its children can be stopped with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a started command and its children. That they are gone already is no error.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// dump asks a Go process for its goroutines' stacks; it ends by that.
func dump(cmd *exec.Cmd) { _ = cmd.Process.Signal(syscall.SIGQUIT) }
