// Package conformance holds the engine's parts against vectors that real Flink 2.3 gave: one test file
// a vector file, every line a case.
//
// The vectors stand in vectors/; the environment variable CONFORMANCE_VECTORS names another folder of
// the same format, from this folder on if its path is relative. Decoding is strict: an unknown field, an
// unknown file, an empty folder or a case without a script is an error, never a pass; a set may be only
// some of the files. A failure prints the case's script up to the action that failed.
package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// VectorsEnv names the environment variable with the folder of the vectors.
const VectorsEnv = "CONFORMANCE_VECTORS"

// ownVectors is the folder of the vectors that stand here.
const ownVectors = "vectors"

// Dir is the folder of the vectors.
func Dir() string {
	if dir := os.Getenv(VectorsEnv); dir != "" {
		return dir
	}
	return ownVectors
}

// Each decodes every line of a vector file into a C and calls f with it and its number, from 1. A file
// that is empty, and a line with a field that C does not have, end the test; so does a file that is
// missing, unless the folder is another set that has others.
func Each[C any](t *testing.T, file string, f func(t *testing.T, line int, c C)) {
	t.Helper()
	cases, err := load[C](filepath.Join(Dir(), file))
	if errors.Is(err, os.ErrNotExist) && partial(Dir()) {
		t.Skipf("%s has no %s", Dir(), file)
	}
	if err != nil {
		t.Fatal(err)
	}
	line := 0
	defer func() { // also if f ends the test
		if t.Failed() {
			t.Logf("%s:%d is the first case that differs", file, line)
		}
	}()
	for i, c := range cases {
		line = i + 1
		f(t, line, c)
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%s: %d cases", file, len(cases))
}

// partial reports whether a set of vectors may lack some of the files: one that is not ours may, if it
// has any.
func partial(dir string) bool {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	return dir != ownVectors && err == nil && len(files) > 0
}

func load[C any](path string) ([]C, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	var cases []C
	lines := bufio.NewScanner(bytes.NewReader(src))
	lines.Buffer(nil, len(src)+1)
	for n := 1; lines.Scan(); n++ {
		var c C
		err := decode(lines.Bytes(), &c)
		if err == nil && scriptless(c) {
			err = errors.New("a case without a script, which would pass whatever the engine does")
		}
		if err != nil {
			return nil, fmt.Errorf("vectors: %s:%d: %w", path, n, err)
		}
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("vectors: %s holds no case", path)
	}
	return cases, lines.Err()
}

// scriptless reports whether c is of a kind that has a script, and has none.
func scriptless(c any) bool {
	of, scripted := reflect.ValueOf(c), false
	if of.Kind() != reflect.Struct {
		return false
	}
	for _, name := range []string{"Actions", "Steps"} {
		if script := of.FieldByName(name); script.IsValid() {
			if scripted = true; script.Len() > 0 {
				return false
			}
		}
	}
	return scripted
}

// decode reads exactly one JSON value, all of whose fields c must have.
func decode(line []byte, c any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(c); err != nil {
		return err
	}
	if d.More() {
		return fmt.Errorf("more than one value in a line")
	}
	return nil
}
