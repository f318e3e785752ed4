package starter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/internal/kit/course"
)

// newLab makes a clone with lab 09 (exercises 9a, 9b and 9.1), whose solution has the given files.
func newLab(t *testing.T, solution map[string]string) (*course.Repo, *course.Lab) {
	t.Helper()
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write("go.mod", "module gatewaymeter\n")
	write("labs/09-sample/suite_test.go", "package lab09_test\n\nfunc Test9a() {}\n\nfunc Test9b() {}\n\nfunc Test9_1() {}\n")
	write("labs/02-keying/solution/keying.go", "package keying\n")
	for name, text := range solution {
		write("labs/09-sample/solution/"+name, text)
	}
	repo, err := course.Find(root)
	require.NoError(t, err)
	lab, err := repo.Lab("9")
	require.NoError(t, err)
	return repo, lab
}

const solution = `// Package sample is given.
package sample

import (
	"errors"
	"fmt" // for Name
	"strings"

	"example.com/thing/v2"
	keys "gatewaymeter/labs/02-keying/solution"
)

// Box keeps a value a key.
type Box struct {
	Label string

	//lab:begin 9a
	// cells by key
	cells map[string]cell
	//lab:end
}

// Get is the value of a key.
func (b *Box) Get(key string) (string, error) {
	//lab:begin 9a
	c, ok := b.cells[key]
	if !ok {
		return "", errors.New("no such key")
	}
	return c.text(), nil
	//lab:end
}

// Name is given.
func (b *Box) Name() string { return fmt.Sprint(b.Label) }

//lab:begin 9a

// cell is one entry.
type cell struct{ Text string }

func (c cell) text() string { return strings.TrimSpace(c.Text) }

//lab:end

// Hash is of lab 02.
func Hash(key string) int {
	//lab:begin 9b
	strings := struct{ Len int }{len(key)}
	return keys.Hash(key) + thing.Of(strings.Len)
	//lab:end
}

// Given takes a function.
var Given = func() error {
	//lab:begin 9.1
	return nil
	//lab:end
}
`

const wantStarter = `// Package sample is given.
package sample

import (
	"fmt" // for Name

	"gatewaymeter/todo" // made from ../solution by "go tool lab starters"; this file is yours to edit
)

// Box keeps a value a key.
type Box struct {
	Label string

	//lab:begin 9a
	// What 9a needs to keep goes here.
	//lab:end
}

// Get is the value of a key.
func (b *Box) Get(key string) (string, error) {
	//lab:begin 9a
	panic(todo.Exercise("9a"))
	//lab:end
}

// Name is given.
func (b *Box) Name() string { return fmt.Sprint(b.Label) }

//lab:begin 9a

// What 9a needs besides goes here.

//lab:end

// Hash is of lab 02.
func Hash(key string) int {
	//lab:begin 9b
	panic(todo.Exercise("9b"))
	//lab:end
}

// Given takes a function.
var Given = func() error {
	//lab:begin 9.1
	panic(todo.Exercise("9.1"))
	//lab:end
}
`

func TestGenerate(t *testing.T) {
	given := "package sample\n\n// Two is given.\nconst Two = 2\n"
	repo, lab := newLab(t, map[string]string{"box.go": solution, "given.go": given, "box_test.go": "package sample\n"})
	files, err := Generate(repo, lab)
	require.NoError(t, err)
	require.Len(t, files, 2, "tests of a solution are not copied")
	require.Equal(t, wantStarter, string(files[0].Text))
	require.Equal(t, given, string(files[1].Text), "a file without regions is copied as it is")
}

func TestImportsAreAddedAfterThePackageClauseOrPruned(t *testing.T) {
	repo, lab := newLab(t, map[string]string{
		"a.go": "package sample\n\n// A is one.\nfunc A() int {\n\t//lab:begin 9a\n\treturn 1\n\t//lab:end\n}\n",
		"b.go": "package sample\n\nimport \"fmt\" // why\n\ntype b struct {\n\t//lab:begin 9a\n\ts fmt.Stringer\n\t//lab:end\n}\n",
		"c.go": "package sample\n\nimport _ \"embed\"\n\nimport \"fmt\"\n\nfunc C() string {\n\t//lab:begin 9b\n\treturn fmt.Sprint()\n\t//lab:end\n}\n",
	})
	files, err := Generate(repo, lab)
	require.NoError(t, err)
	require.Contains(t, string(files[0].Text), "package sample\n\nimport \"gatewaymeter/todo\" // made")
	require.True(t, strings.HasPrefix(string(files[1].Text), "package sample\n\ntype b struct {"), "%s", files[1].Text)
	require.Contains(t, string(files[2].Text), "import (\n\t_ \"embed\"\n\n\t\"gatewaymeter/todo\" // made")
}

func TestFaultsNameFileAndLine(t *testing.T) {
	const head = "package sample\n\n"
	for name, c := range map[string]struct{ text, want string }{
		"unclosed": {head + "func A() {\n\t//lab:begin 9a\n\tprintln()\n}\n",
			":4: region 9a is not closed: //lab:end is missing"},
		"end alone": {head + "//lab:end\n", ":3: //lab:end without //lab:begin"},
		"nested": {head + "func A() {\n\t//lab:begin 9a\n\t//lab:begin 9b\n\tprintln()\n\t//lab:end\n}\n",
			":5: region 9b begins inside region 9a of line 4: regions do not nest"},
		"unknown": {head + "func A() {\n\t//lab:begin 9z\n\tprintln()\n\t//lab:end\n}\n",
			":4: the suite of lab 09-sample has no test of exercise 9z"},
		"no id":      {head + "//lab:begin\n\n//lab:end\n", `:3: "" is no exercise id`},
		"with space": {head + "// lab:begin 9a\n", ":3: a marker is written //lab:begin 3d or //lab:end, without a space, alone on its line"},
		"empty":      {head + "func A() {\n\t//lab:begin 9a\n\t//lab:end\n}\n", ":4: region 9a is empty"},
		"part of a body": {head + "func A() {\n\tprintln()\n\t//lab:begin 9a\n\tprintln()\n\t//lab:end\n}\n",
			":5: region 9a is a part of something"},
		"in an if": {head + "func A() {\n\tif true {\n\t\t//lab:begin 9a\n\t\tprintln()\n\t\t//lab:end\n\t}\n}\n",
			":5: region 9a is a part of something"},
		"parameters": {head + "func A(\n\t//lab:begin 9a\n\tx int,\n\t//lab:end\n) {\n}\n", ":4: region 9a is a part of something"},
		"elements":   {head + "var a = []int{\n\t//lab:begin 9a\n\t1,\n\t//lab:end\n}\n", ":4: region 9a is a part of something"},
		"through": {head + "func A() {\n\t//lab:begin 9a\n\tprintln()\n}\n\nfunc B() {\n\t//lab:end\n}\n",
			":4: region 9a cuts through what begins in line 3"},
		"doc": {head + "// a is one.\n//\n//lab:begin 9a\nfunc a() {}\n\n//lab:end\n",
			":5: the marker is part of a doc comment: put an empty line between them"},
		"exported function": {head + "//lab:begin 9a\n\nfunc A() {}\n\n//lab:end\n",
			":5: A is exported and declared in region 9a: the starter must keep every exported name"},
		"exported field": {head + "type T struct {\n\t//lab:begin 9a\n\tA, b int\n\t//lab:end\n}\n",
			":5: A is exported and declared in region 9a"},
		"leaking signature": {head + "//lab:begin 9a\n\ntype cell int\n\n//lab:end\n\n// A leaks.\nfunc A() cell {\n\t//lab:begin 9a\n\treturn 1\n\t//lab:end\n}\n",
			":10: cell is used outside of a region, but declared in region 9a (labs/09-sample/solution/x.go:5)"},
		"field used outside": {head + "type box[T any] struct {\n\t//lab:begin 9a\n\tn T\n\t//lab:end\n}\n\nfunc (b *box[T]) get() T { return b.n }\n",
			":9: n is used outside of a region, but declared in region 9a"},
		"import without a name": {head + "import \"example.com/go-thing\"\n\nfunc A() {\n\t//lab:begin 9a\n\tthing.Do()\n\t//lab:end\n}\n",
			":3: the import of example.com/go-thing is unused, or its package is not named go-thing: then give the import a name"},
		"unformatted": {head + "func  A() {}\n", "x.go is not formatted: run gofmt -w on it"},
	} {
		t.Run(name, func(t *testing.T) {
			repo, lab := newLab(t, map[string]string{"x.go": c.text})
			_, err := Generate(repo, lab)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "labs/09-sample/solution/x.go")
		})
	}
}

func TestWriteDriftAndBackup(t *testing.T) {
	repo, lab := newLab(t, map[string]string{"box.go": solution})
	drift, err := Drift(repo, lab)
	require.NoError(t, err)
	require.Equal(t, []string{"labs/09-sample/starter/box.go is missing"}, drift)

	backup, err := Write(repo, lab)
	require.NoError(t, err)
	require.Empty(t, backup, "nothing was lost")
	drift, err = Drift(repo, lab)
	require.NoError(t, err)
	require.Empty(t, drift)

	box, extra := filepath.Join(lab.Starter(), "box.go"), filepath.Join(lab.Starter(), "mine.go")
	require.NoError(t, os.WriteFile(box, []byte("this is no Go"), 0o644))
	require.NoError(t, os.WriteFile(extra, []byte("package sample\n"), 0o644))
	drift, err = Drift(repo, lab)
	require.NoError(t, err)
	require.Equal(t, []string{
		"labs/09-sample/starter/box.go differs from what its solution gives",
		"labs/09-sample/starter/mine.go has no file in the solution",
	}, drift)

	first, err := ResetLab(repo, lab)
	require.NoError(t, err)
	requireFile(t, filepath.Join(first, "box.go"), "this is no Go")
	requireFile(t, filepath.Join(first, "mine.go"), "package sample\n")
	requireFile(t, box, wantStarter)
	require.NoFileExists(t, extra)

	require.NoError(t, os.WriteFile(box, []byte("again"), 0o644))
	second, err := ResetLab(repo, lab)
	require.NoError(t, err)
	require.NotEqual(t, first, second, "no backup overwrites another")
}

func TestResetExercise(t *testing.T) {
	repo, lab := newLab(t, map[string]string{"box.go": solution})
	_, err := Write(repo, lab)
	require.NoError(t, err)
	box := filepath.Join(lab.Starter(), "box.go")

	// The student wrote 9a and 9b, so the import of todo went.
	mine := strings.Replace(solution, "return nil\n", "return errors.New(`mine`)\n", 1)
	require.NoError(t, os.WriteFile(box, []byte(mine), 0o644))
	backup, changed, err := ResetExercise(repo, lab, "9b")
	require.NoError(t, err)
	require.Equal(t, []string{"labs/09-sample/starter/box.go"}, changed)
	requireFile(t, filepath.Join(backup, "box.go"), mine)
	text, err := os.ReadFile(box)
	require.NoError(t, err)
	require.Contains(t, string(text), `panic(todo.Exercise("9b"))`)
	require.NotContains(t, string(text), `panic(todo.Exercise("9a"))`)
	require.Contains(t, string(text), "errors.New(`mine`)")
	require.Contains(t, string(text), `"gatewaymeter/todo"`)
	require.NotContains(t, string(text), "keys ")

	backup, changed, err = ResetExercise(repo, lab, "9b")
	require.NoError(t, err)
	require.Empty(t, backup)
	require.Empty(t, changed)

	// A syntax error elsewhere does not stand in the way.
	broken := strings.Replace(mine, "func (b *Box) Name() string {", "func (b *Box) Name() string {{{", 1)
	require.NoError(t, os.WriteFile(box, []byte(broken), 0o644))
	_, _, err = ResetExercise(repo, lab, "9a")
	require.NoError(t, err)

	// Markers that are gone do.
	require.NoError(t, os.WriteFile(box, []byte("package sample\n"), 0o644))
	_, _, err = ResetExercise(repo, lab, "9a")
	require.EqualError(t, err, "labs/09-sample/starter/box.go has 0 regions of 9a between markers, where the fresh file has 3; `go tool lab reset 09` puts the whole lab back")
}

func requireFile(t *testing.T, path, want string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(text))
}
