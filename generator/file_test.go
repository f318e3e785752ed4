package generator

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFileRoundTrip(t *testing.T) {
	p := Default(1000, 3)
	p.Malformed = 0.5
	messages, _ := generate(p)
	path := filepath.Join(t.TempDir(), "events.jsonl")
	require.NoError(t, WriteFile(path, slices.Values(messages)))
	back, err := ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, messages, back)

	again := filepath.Join(t.TempDir(), "again.jsonl")
	require.NoError(t, WriteFile(again, New(p).All()))
	a, err := os.ReadFile(path)
	require.NoError(t, err)
	b, err := os.ReadFile(again)
	require.NoError(t, err)
	require.Equal(t, string(a), string(b), "the same file for the same seed")
}

// TestAnyBytesSurvive with values that JSON, lines or strings might change.
func TestAnyBytesSurvive(t *testing.T) {
	r := newRandom(9, "bytes")
	values := []string{
		"", " ", "null", "true", " {}", "{}\n", "{\n}", "[1, 2]", `{"a":1}{"a":2}`, "\"x\"", "1e3", "\x00", "\r", "\u2028", "<&>", "\ufffd", "\ufeff{}", "ä",
		"\xff", "{\"a\":\"\xff\"}", `{"a":"\ud800"}`, `{"end":3}`,
	}
	for range 300 {
		b := make([]byte, r.below(12))
		for i := range b {
			b[i] = byte(r.next())
		}
		values = append(values, string(b))
	}
	var messages []Message
	for i, v := range values {
		messages = append(messages, Message{Key: []byte(v), Value: []byte(v), TS: int64(i) - 1, Partition: int32(i%3) - 1})
	}
	var file bytes.Buffer
	w := NewWriter(&file)
	for _, m := range messages {
		require.NoError(t, w.Write(m))
	}
	require.NoError(t, w.Close())
	reader := NewReader(&file)
	for _, m := range messages {
		got, err := reader.Read()
		require.NoError(t, err)
		require.Equal(t, m, got)
	}
	for range 2 {
		_, err := reader.Read()
		require.Equal(t, io.EOF, err)
	}
}

func TestBadFiles(t *testing.T) {
	good := `{"ts":1,"key":"a","value":{}}` + "\n"
	for _, row := range []struct{ name, text, want string }{
		{"empty", "", `after line 0: the file is cut off, as its last line is not {"end":0}`},
		{"cut at a line", good + good, `after line 2: the file is cut off`},
		{"cut in a line", good + good[:12], `line 2: the file is cut off in this line`},
		{"lines lost", good + `{"end":2}` + "\n", `line 2: the file should have 2 messages, and has 1: some are missing`},
		{"two files in one", good + `{"end":1}` + "\n" + good, `line 3: there is more after the line that ends the file`},
		{"not JSON", good + "hello\n", `line 2: not a line of this format: invalid character 'h'`},
		{"an empty line", good + "\n", `line 2: not a line of this format: EOF`},
		{"two objects", strings.TrimSpace(good) + good, `line 1: more than one JSON object`},
		{"unknown field", `{"ts":1,"key":"a","value":1,"offset":4}` + "\n", `line 1: not a line of this format: json: unknown field "offset"`},
		{"no ts", `{"key":"a","value":1}` + "\n", `line 1: no "ts"`},
		{"no key", `{"ts":1,"value":1}` + "\n", `line 1: no "key"`},
		{"no value", `{"ts":1,"key":"a"}` + "\n", `line 1: no "value"`},
		{"two values", `{"ts":1,"key":"a","value":1,"value_text":"x"}` + "\n", `line 1: more than one "value"`},
		{"bad base64", `{"ts":1,"key":"a","value_base64":"!"}` + "\n", `line 1: not a line of this format: illegal base64`},
		{"bad partition", `{"ts":1,"key":"a","value":1,"partition":-2}` + "\n", `line 1: a negative "partition"`},
		{"invalid UTF-8", "{\"ts\":1,\"key\":\"\xff\",\"value\":1}\n", `line 1: not UTF-8`},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f.jsonl")
			require.NoError(t, os.WriteFile(path, []byte(row.text), 0o600))
			_, err := ReadFile(path)
			require.ErrorContains(t, err, path+": "+row.want)
		})
	}
	noNewline := good + `{"end":1}`
	_, err := ReadFile(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	r := NewReader(strings.NewReader(noNewline))
	_, err = r.Read()
	require.NoError(t, err)
	_, err = r.Read()
	require.Equal(t, io.EOF, err, "an editor may drop the last newline")
}

// TestWriteFileIsWholeOrNotThere when it cannot be written.
func TestWriteFileIsWholeOrNotThere(t *testing.T) {
	dir := t.TempDir()
	err := WriteFile(filepath.Join(dir, "no", "f"), New(Default(1, 1)).All())
	require.ErrorContains(t, err, "cannot write")
	require.ErrorContains(t, WriteFile(os.DevNull, New(Default(1, 1)).All()), "no regular file")
	require.ErrorContains(t, WriteFile(dir, New(Default(1, 1)).All()), "no regular file")
	ended, cancel := context.WithCancel(t.Context())
	endless := func(yield func(Message) bool) {
		for n := 0; yield(Message{Key: []byte("k"), Value: []byte("v")}); n++ {
			if n == 5000 {
				cancel()
			}
		}
	}
	require.ErrorIs(t, WriteFileUntil(ended, filepath.Join(dir, "f"), endless), context.Canceled)
	require.ErrorIs(t, WriteAll(ended, io.Discard, endless), context.Canceled)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestWriterReportsAFullDisk(t *testing.T) {
	w := NewWriter(fullDisk{})
	require.NoError(t, w.Write(Message{Key: []byte("a"), Value: []byte("1")}), "still in the buffer")
	require.ErrorContains(t, w.Close(), "no space left")
}

// BenchmarkWriteFile shows events a second to a file: 200,000 at least.
func BenchmarkWriteFile(b *testing.B) {
	path := filepath.Join(b.TempDir(), "events.jsonl")
	events := int64(0)
	for b.Loop() {
		g := New(Default(20_000, 1))
		require.NoError(b, WriteFile(path, g.All()))
		events += g.Counts().Messages
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}
