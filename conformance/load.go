// Package conformance holds the engine's parts against vectors that real Flink 2.3 gave: one test file
// a vector file, every line a case.
//
// The vectors stand in vectors/; the environment variable CONFORMANCE_VECTORS names another folder of
// the same format. Decoding is strict: an unknown field, an unknown file or an empty folder is an
// error, never a pass. A failure prints the case's script up to the action that failed.
package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// VectorsEnv names the environment variable with the folder of the vectors.
const VectorsEnv = "CONFORMANCE_VECTORS"

// Dir is the folder of the vectors.
func Dir() string {
	if dir := os.Getenv(VectorsEnv); dir != "" {
		return dir
	}
	return "vectors"
}

// Each decodes every line of a vector file into a C and calls f with it and its number, from 1. A file
// that is missing or empty, and a line with a field that C does not have, end the test.
func Each[C any](t *testing.T, file string, f func(t *testing.T, line int, c C)) {
	t.Helper()
	cases, err := load[C](filepath.Join(Dir(), file))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		f(t, i+1, c)
		if t.Failed() {
			t.Fatalf("%s:%d is the first case that differs", file, i+1)
		}
	}
	t.Logf("%s: %d cases", file, len(cases))
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
		if err := decode(lines.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("vectors: %s:%d: %w", path, n, err)
		}
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("vectors: %s holds no case", path)
	}
	return cases, lines.Err()
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
