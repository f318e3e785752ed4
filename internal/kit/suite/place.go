package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// maxFrames bounds the student's frames in a message.
const maxFrames = 8

// frame is one call on the stack.
type frame struct {
	fn   string // with its package path
	file string
	line int
}

// panicFrames is the stack of the panic that the calling deferred function recovers, innermost first
// and without the runtime's own frames.
func panicFrames() []frame {
	pcs := make([]uintptr, 256)
	n := runtime.Callers(2, pcs)
	var all []frame
	panicked := 0 // index after the last runtime frame of the panic
	for it := runtime.CallersFrames(pcs[:n]); ; {
		f, more := it.Next()
		if strings.HasPrefix(f.Function, "runtime.") && f.Function != "runtime.goexit" {
			if isPanicFrame(f.Function) {
				panicked = len(all)
			}
		} else {
			all = append(all, frame{f.Function, f.File, f.Line})
		}
		if !more {
			return all[panicked:]
		}
	}
}

// isPanicFrame tells the runtime functions that stand between a panic and its deferred functions.
func isPanicFrame(fn string) bool {
	name := strings.TrimPrefix(fn, "runtime.")
	return name == "gopanic" || name == "sigpanic" || strings.HasPrefix(name, "panic") ||
		strings.HasPrefix(name, "goPanic")
}

// students keeps the frames in the student's code. The package path decides, and the file too: an
// overlay may run a starter's files under the import path of the solution.
func students(frames []frame) []frame {
	var mine []frame
	for _, f := range frames {
		if strings.Contains(f.fn, "/starter.") || strings.Contains(filepath.ToSlash(f.file), "/starter/") {
			mine = append(mine, f)
		}
	}
	return mine
}

// firstPlace is "file:line (func)" of the innermost frame of the student; empty if there is none.
func firstPlace(frames []frame) string {
	mine := students(frames)
	if len(mine) == 0 {
		return ""
	}
	return mine[0].String()
}

func (f frame) String() string {
	fn := f.fn[strings.LastIndexByte(f.fn, '/')+1:]
	_, fn, _ = strings.Cut(fn, ".")
	return fmt.Sprintf("%s:%d (%s)", relative(f.file), f.line, fn)
}

// stackText is the student's part of a stack, a line a frame; without one, where the panic was.
func stackText(frames []frame) string {
	mine := students(frames)
	if len(mine) == 0 && len(frames) > 0 {
		mine = frames[:1]
	}
	var b strings.Builder
	for i, f := range mine {
		if i == maxFrames {
			fmt.Fprintf(&b, "\n  … %d more frames of yours", len(mine)-i)
			break
		}
		fmt.Fprintf(&b, "\n  at %s", f)
	}
	return b.String()
}

// findTodo searches the Go files of dir for the unwritten body of an exercise. It is for panics that
// came back as errors and so lost their stack.
func findTodo(dir, id string) string {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return ""
	}
	want := fmt.Sprintf("todo.Exercise(%q)", id)
	for _, file := range files { // Glob sorts
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for i, line := range strings.Split(string(text), "\n") {
			if strings.Contains(line, want) {
				return fmt.Sprintf("%s:%d", relative(file), i+1)
			}
		}
	}
	return ""
}

// relative names a file as seen from the repository's root, where students run their commands.
func relative(file string) string {
	abs, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	root := moduleRoot(filepath.Dir(abs))
	if root == "" {
		return file
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil {
		return file
	}
	return filepath.ToSlash(rel)
}

// moduleRoot is the nearest folder at or above dir with a go.mod; empty if there is none.
func moduleRoot(dir string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
