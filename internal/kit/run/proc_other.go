//go:build !unix

package run

import "os/exec"

func ownGroup(*exec.Cmd) {}

// killGroup ends a started command; its children see their pipes closed.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// dump ends the process: there is no signal here that asks for stacks.
func dump(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
