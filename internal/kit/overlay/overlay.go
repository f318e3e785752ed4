// Package overlay decides whose code runs, with the -overlay flag of the go command.
//
// Starter and solution of a lab have the same package name, files and exported signatures. Mapping
// one folder onto the other therefore runs any mix: the solution under the suite that imports the
// starter, a student's earlier lab under a later one, a mutant, a submission.
//
// It promises that a mapping that did not take is an error ([Overlay.Prove]), because the go command
// ignores a key that matches no folder and then silently builds the real files; and that compile
// errors and stacks name the file a person would edit, not the copy that was built. It leaves
// building and running to others. An Overlay is not changed after New and may be shared.
package overlay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gatewaymeter/internal/kit/starter"
)

// Mapping says that the package of folder Target is built from the Go files of folder Source. Without
// a Source, Target is a single file that the build leaves out.
type Mapping struct {
	Target string // absolute
	Source string // absolute
	Shown  string // the folder that messages name; Source if empty
}

// Overlay is the mappings of one build, written to disk.
type Overlay struct {
	file    string // of the -overlay flag; empty: nothing is mapped
	targets []string
}

// sentinel is a file without code that is added to each target: that go list sees it proves that the
// target's folder was matched, also where source and target have the same file names.
const sentinel = "lab_overlay_sentinel.go"

// New writes the mappings' files to the folder tmp, which must outlive the builds.
func New(tmp string, mappings ...Mapping) (*Overlay, error) {
	if len(mappings) == 0 {
		return &Overlay{}, nil
	}
	replace := map[string]string{} // json sorts the keys
	o := &Overlay{file: filepath.Join(tmp, "overlay.json")}
	for i, m := range mappings {
		if m.Source == "" {
			replace[m.Target] = ""
			continue
		}
		dir := filepath.Join(tmp, fmt.Sprintf("%02d", i))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		if err := m.write(dir, replace); err != nil {
			return nil, err
		}
		o.targets = append(o.targets, m.Target)
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return nil, err
	}
	return o, os.WriteFile(o.file, text, 0o644)
}

// write copies the source's files to dir and enters them, and the target's files that they hide.
func (m Mapping) write(dir string, replace map[string]string) error {
	if !filepath.IsAbs(m.Target) || !filepath.IsAbs(m.Source) {
		return fmt.Errorf("overlay of %s by %s: both must be absolute", m.Target, m.Source)
	}
	shown := m.Shown
	if shown == "" {
		shown = m.Source
	}
	hidden, err := starter.GoFiles(m.Target)
	if err != nil {
		return err
	}
	for _, name := range hidden {
		replace[filepath.Join(m.Target, name)] = "" // removed, unless the source has one
	}
	names, err := starter.GoFiles(m.Source)
	if err != nil {
		return err
	}
	pkg := ""
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(m.Source, name))
		if err != nil {
			return err
		}
		if file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly); err == nil && pkg == "" {
			pkg = file.Name.Name
		}
		head := fmt.Sprintf("//line %s:1:1\n", filepath.Join(shown, name))
		if err := put(dir, name, append([]byte(head), text...)); err != nil {
			return err
		}
		replace[filepath.Join(m.Target, name)] = filepath.Join(dir, name)
	}
	if pkg == "" {
		return fmt.Errorf("no file of %s has a package clause that can be read", shown)
	}
	replace[filepath.Join(m.Target, sentinel)] = filepath.Join(dir, sentinel)
	return put(dir, sentinel, []byte("package "+pkg+"\n"))
}

func put(dir, name string, text []byte) error {
	return os.WriteFile(filepath.Join(dir, name), text, 0o644)
}

// Flags are what the overlay adds to a go build, go test or go list command.
func (o *Overlay) Flags() []string {
	if o.file == "" {
		return nil
	}
	return []string{"-overlay=" + o.file}
}

// Prove asks the go command, run in the repository's root, whether each mapping took.
func (o *Overlay) Prove(ctx context.Context, root string) error {
	if len(o.targets) == 0 {
		return nil
	}
	args := append([]string{"list", "-e", "-f", "{{.Dir}} {{.GoFiles}} {{.IgnoredGoFiles}} {{.InvalidGoFiles}}"}, o.Flags()...)
	cmd := exec.CommandContext(ctx, "go", append(args, o.targets...)...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(o.targets) {
		return fmt.Errorf("the overlay did not take: go list names %d folders instead of %d:\n%s", len(lines), len(o.targets), out)
	}
	for i, line := range lines {
		if !strings.Contains(line, sentinel) {
			return fmt.Errorf("the overlay of %s did not take: go list sees only %s", o.targets[i], line)
		}
	}
	return nil
}
