package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// patience is how long an answer may take.
const patience = 5 * time.Second

// Find is every run with a note in dir that answers, the oldest first, and the notes of dead ones, which
// it has removed.
func Find(ctx context.Context, dir string) (running, dead []Job, err error) {
	if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
		return nil, nil, nil
	}
	if err := private(dir); err != nil {
		return nil, nil, err
	}
	notes, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, nil, err
	}
	for _, note := range notes {
		var job Job
		text, err := os.ReadFile(note)
		if errors.Is(err, os.ErrNotExist) {
			continue // it has just ended
		}
		if err == nil {
			err = json.Unmarshal(text, &job)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s is no note of a job: %w (remove it)", note, err)
		}
		alive, err := answers(ctx, job)
		switch {
		case err != nil:
			return nil, nil, err
		case alive:
			running = append(running, job)
		default:
			dead = append(dead, job)
			_ = os.Remove(note) // somebody else may have been quicker
		}
	}
	slices.SortFunc(running, func(a, b Job) int { return a.Started.Compare(b.Started) })
	return running, dead, nil
}

// answers reports whether the run of a note is still there. One that is too busy to answer, or stopped by
// a signal, is; if another program has got the port, it is not.
func answers(ctx context.Context, job Job) (bool, error) {
	answer, err := Ask(ctx, job.Address)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return true, nil
	}
	return err == nil && answer.ID == job.ID, nil
}

// Ask asks the run that answers on an address of this machine.
func Ask(ctx context.Context, address string) (*Answer, error) {
	if err := loopback(address); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/job", nil)
	if err != nil {
		return nil, err
	}
	response, err := (&http.Client{}).Do(request)
	if err != nil {
		return nil, fmt.Errorf("no job answers on %s: %w", address, errors.Unwrap(err))
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("the answer of %s: %w", address, err)
	}
	var a Answer
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s: %s", address, response.Status, strings.TrimSpace(string(text)))
	}
	if err := json.Unmarshal(text, &a); err != nil || a.ID == "" {
		return nil, fmt.Errorf("what answers on %s is no job of ours", address)
	}
	return &a, nil
}

// loopback refuses an address that is not this machine's own.
func loopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%q is no address: write it as 127.0.0.1:PORT", address)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("%s is not on the loopback interface: only jobs of this machine can be asked, at 127.0.0.1:PORT", address)
	}
	return nil
}
