package inspect

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"gatewaymeter/pipeline"
)

// Publication is a run that can be asked, until Close.
type Publication struct {
	Job
	server *http.Server
	note   string
}

// Publish answers questions about a run, with what waiting says at that moment; it may be called from
// several goroutines. dir is where the note goes; see Dir.
func Publish(dir string, about Job, waiting func() []pipeline.Waiting) (*Publication, error) {
	if err := private(dir); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("no port of the loopback interface to be asked on: %w", err)
	}
	about.ID, about.PID, about.Address = rand.Text(), os.Getpid(), l.Addr().String()
	p := &Publication{Job: about, note: filepath.Join(dir, about.ID+".json")}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /job", func(w http.ResponseWriter, r *http.Request) {
		if r.Host != about.Address { // a page in a browser that was led here under another name
			http.Error(w, "ask for "+about.Address, http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(Answer{Job: p.Job, Waiting: waiting()}) // who asked has gone
	})
	p.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = p.server.Serve(l) }() // ends with Close, which closes l
	if err := p.write(); err != nil {
		return nil, errors.Join(err, p.server.Close())
	}
	return p, nil
}

// write leaves the note, all at once: who looks meanwhile sees it whole or not at all.
func (p *Publication) write() error {
	text, err := json.Marshal(p.Job)
	if err != nil {
		return err
	}
	part := p.note + ".part"
	if err := os.WriteFile(part, text, 0o600); err != nil {
		return err
	}
	return os.Rename(part, p.note)
}

// Close ends the answers and takes the note away, and the folder if it was the last.
func (p *Publication) Close() error {
	err := errors.Join(p.server.Close(), os.Remove(p.note))
	_ = os.Remove(filepath.Dir(p.note)) // fails while there are others
	return err
}

// Dir is the folder of this user's notes on this machine.
func Dir() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("gatewaymeter-jobs-%d", os.Getuid()))
}

// private makes the folder, which must be a folder that nobody else can read or write: another user could
// leave notes in it that lead elsewhere.
func private(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("the folder of running jobs: %w", err)
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("the folder of running jobs: %w", err)
	case !info.IsDir() || info.Mode().Perm()&0o077 != 0 && os.Getuid() >= 0: // -1: Windows has no such modes
		return fmt.Errorf("%s must be a folder that only you can use (it is %v): remove it, or set TMPDIR", dir, info.Mode())
	}
	return nil
}
