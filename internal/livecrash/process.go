package livecrash

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// process is a program of ours that runs beside us.
type process struct {
	cmd    *exec.Cmd
	args   []string
	lines  chan string // of stderr, closed at its end
	done   chan struct{}
	err    error // of Wait, once done is closed
	stdout bytes.Buffer

	mu   sync.Mutex
	tail []string // the last lines of stderr
}

// keptLines is how much of a process's stderr is kept for an error's text.
const keptLines = 30

// start starts a program. Killing is up to the caller; ctx kills it in any case.
func start(ctx context.Context, program, dir string, args ...string) (*process, error) {
	p := &process{cmd: exec.CommandContext(ctx, program, args...), args: args, lines: make(chan string, 1024), done: make(chan struct{})}
	p.cmd.Dir = dir
	p.cmd.Env = append(os.Environ(), "TMPDIR="+dir) // what a kill leaves behind goes with the folder
	p.cmd.Stdout = &p.stdout
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stderr = write
	if err := p.cmd.Start(); err != nil {
		write.Close()
		read.Close()
		return nil, err
	}
	write.Close()
	go p.read(read)
	go func() {
		defer close(p.done)
		p.err = p.cmd.Wait()
	}()
	return p, nil
}

// read passes stderr on, line by line.
func (p *process) read(r *os.File) {
	defer r.Close()
	defer close(p.lines)
	content, part := make([]byte, 4096), ""
	for {
		n, err := r.Read(content)
		part += string(content[:n])
		for {
			line, rest, found := strings.Cut(part, "\n")
			if !found {
				break
			}
			part = rest
			p.keep(line)
			p.lines <- line
		}
		if err != nil {
			if err != io.EOF {
				p.keep(err.Error())
			}
			return
		}
	}
}

func (p *process) keep(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tail = append(p.tail, line)
	if len(p.tail) > keptLines {
		p.tail = p.tail[1:]
	}
}

// drain lets a process whose lines nobody wants write on.
func (p *process) drain() {
	for range p.lines {
	}
}

// kill is SIGKILL: the process has no say. It returns once the process is gone and all its lines are
// heard, and whether it was alive until then.
func (p *process) kill(heard func(line string)) (wasAlive bool) {
	_ = p.cmd.Process.Kill() // one that is gone cannot be killed
	for line := range p.lines {
		heard(line)
	}
	<-p.done
	return p.cmd.ProcessState != nil && !p.cmd.ProcessState.Exited()
}

// said is an error with a process's last words.
func (p *process) said(what string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Errorf("lab %s: %s (%v). Its last lines:\n%s", strings.Join(p.args, " "), what, p.err, strings.Join(p.tail, "\n"))
}
