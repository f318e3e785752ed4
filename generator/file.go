package generator

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"unicode/utf8"
)

// The file format is a JSON object a line:
//
//	{"ts":1700000040000,"key":"r-0","value":{"event_type":"RequestStarted",…}}
//	{"ts":1700000040017,"key":"x-3","value_text":"ping"}
//	{"ts":1700000040017,"key_base64":"ci0x/w==","value_base64":"/w==","partition":2}
//	{"end":3}
//
// Any bytes survive: a value is written as "value" if it is JSON as it stands, as "value_text" if it is
// other UTF-8, else as "value_base64"; a key as "key" or "key_base64". "partition" is written if it is
// known. The last line gives the number of messages, so that a file that was cut off is never read as
// a shorter one.

// Writer writes messages to a file. Call Close at the end.
type Writer struct {
	to    *bufio.Writer
	line  []byte
	lines int64
}

// NewWriter returns a Writer on w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: bufio.NewWriterSize(w, 1<<16)} }

// Write adds a message.
func (w *Writer) Write(m Message) error {
	b := append(w.line[:0], `{"ts":`...)
	b = strconv.AppendInt(b, m.TS, 10)
	b = appendBytes(b, "key", "key_base64", m.Key)
	if embeds(m.Value) {
		b = append(b, `,"value":`...)
		b = append(b, m.Value...)
	} else {
		b = appendBytes(b, "value_text", "value_base64", m.Value)
	}
	if m.Partition != NoPartition {
		b = append(b, `,"partition":`...)
		b = strconv.AppendInt(b, int64(m.Partition), 10)
	}
	w.line = append(b, '}', '\n')
	w.lines++
	_, err := w.to.Write(w.line)
	return err
}

// Close writes the last line and flushes. It does not close what lies below.
func (w *Writer) Close() error {
	if _, err := fmt.Fprintf(w.to, "{\"end\":%d}\n", w.lines); err != nil {
		return err
	}
	return w.to.Flush()
}

// embeds tells whether a value can stand in the line as it is and be read back byte for byte.
func embeds(v []byte) bool {
	return len(v) > 0 && v[0] > ' ' && v[len(v)-1] > ' ' && bytes.IndexByte(v, '\n') < 0 && utf8.Valid(v) && json.Valid(v)
}

func appendBytes(b []byte, textName, base64Name string, v []byte) []byte {
	name, value := textName, any(string(v))
	if !utf8.Valid(v) {
		name, value = base64Name, v
	}
	b = append(b, ',', '"')
	b = append(b, name...)
	b = append(b, '"', ':')
	if plain(v) {
		b = append(b, '"')
		b = append(b, v...)
		return append(b, '"')
	}
	text, err := json.Marshal(value)
	if err != nil { // strings and byte slices always marshal
		panic(err)
	}
	return append(b, text...)
}

// plain tells whether a string needs no escapes in JSON, as most keys do not.
func plain(v []byte) bool {
	for _, c := range v {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// Reader reads what a Writer wrote.
type Reader struct {
	from  *bufio.Reader
	lines int64
	ended bool
}

// NewReader returns a Reader on r.
func NewReader(r io.Reader) *Reader { return &Reader{from: bufio.NewReaderSize(r, 1<<16)} }

// fileLine is a line of the format: a message, or the end.
type fileLine struct {
	TS          *int64          `json:"ts"`
	Key         *string         `json:"key"`
	KeyBase64   []byte          `json:"key_base64"`
	Value       json.RawMessage `json:"value"`
	ValueText   *string         `json:"value_text"`
	ValueBase64 []byte          `json:"value_base64"`
	Partition   *int32          `json:"partition"`
	End         *int64          `json:"end"`
}

// Read returns the next message, or io.EOF after the last. Any other error names the line, and says
// what is wrong with it.
func (r *Reader) Read() (Message, error) {
	text, err := r.from.ReadBytes('\n')
	switch {
	case err == io.EOF && len(text) == 0 && r.ended:
		return Message{}, io.EOF
	case err == io.EOF && len(text) == 0:
		return Message{}, fmt.Errorf("after line %d: the file is cut off, as its last line is not {\"end\":%d}: generate it again, or add that line if these are all messages",
			r.lines, r.lines)
	case err != nil && err != io.EOF:
		return Message{}, fmt.Errorf("line %d: %w", r.lines+1, err)
	case r.ended:
		return Message{}, fmt.Errorf("line %d: there is more after the line that ends the file: are these two files in one?", r.lines+2)
	}
	m, end, problem := parseLine(text)
	switch {
	case problem != nil && err == io.EOF:
		return Message{}, fmt.Errorf("line %d: the file is cut off in this line (%w)", r.lines+1, problem)
	case problem != nil:
		return Message{}, fmt.Errorf("line %d: %w: got %.80q", r.lines+1, problem, bytes.TrimSpace(text))
	case end == nil:
		r.lines++
		return m, nil
	case *end != r.lines:
		return Message{}, fmt.Errorf("line %d: the file should have %d messages, and has %d: some are missing", r.lines+1, *end, r.lines)
	}
	r.ended = true
	return r.Read()
}

func parseLine(text []byte) (m Message, end *int64, err error) {
	if !utf8.Valid(text) {
		return m, nil, errors.New("not UTF-8")
	}
	var l fileLine
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return m, nil, fmt.Errorf("not a line of this format: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return m, nil, errors.New("more than one JSON object")
	}
	if l.End != nil {
		return m, l.End, nil
	}
	m.Partition = NoPartition
	if l.Partition != nil {
		m.Partition = *l.Partition
	}
	switch {
	case l.TS == nil:
		return m, nil, errors.New(`no "ts"`)
	case m.Partition < NoPartition:
		return m, nil, errors.New(`a negative "partition"`)
	}
	m.TS = *l.TS
	m.Key, err = oneOf("key", text2bytes(l.Key), l.KeyBase64)
	if err == nil {
		m.Value, err = oneOf("value", l.Value, text2bytes(l.ValueText), l.ValueBase64)
	}
	return m, nil, err
}

func text2bytes(s *string) []byte {
	if s == nil {
		return nil
	}
	return []byte(*s)
}

// oneOf returns the only form that is there.
func oneOf(name string, forms ...[]byte) (found []byte, err error) {
	for _, f := range forms {
		if f == nil {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("more than one %q", name)
		}
		found = f
	}
	if found == nil {
		return nil, fmt.Errorf("no %q", name)
	}
	return found, nil
}

// WriteFile writes messages to a file, which is there whole or not at all: it is written under another
// name first.
func WriteFile(path string, messages iter.Seq[Message]) error {
	return WriteFileUntil(context.Background(), path, messages)
}

// WriteFileUntil is WriteFile until ctx ends: then there is no file, and the error is the context's.
func WriteFileUntil(ctx context.Context, path string, messages iter.Seq[Message]) (err error) {
	if info, statErr := os.Stat(path); statErr == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file: choose another path", path)
	}
	if dir, statErr := os.Stat(filepath.Dir(path)); statErr != nil || !dir.IsDir() {
		return fmt.Errorf("cannot write %s: there is no folder %s: make it, or name another file", path, filepath.Dir(path))
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part-*")
	if err != nil {
		return fmt.Errorf("cannot write %s: choose a folder that you may write: %w", path, errors.Unwrap(err))
	}
	defer func() {
		if err != nil {
			_ = f.Close() // the first error is the one to tell
			_ = os.Remove(f.Name())
			err = fmt.Errorf("cannot write %s: %w", path, err)
		}
	}()
	if err := WriteAll(ctx, f, messages); err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// WriteAll writes messages as a file has them, to its last line, or until ctx ends.
func WriteAll(ctx context.Context, out io.Writer, messages iter.Seq[Message]) error {
	w := NewWriter(out)
	for m := range Until(ctx.Err, messages) {
		if err := w.Write(m); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.Close()
}

// ReadFile reads all messages of a file.
func ReadFile(path string) ([]Message, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	var all []Message
	for r := NewReader(f); ; {
		m, err := r.Read()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, m)
	}
}
