package starter

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"gatewaymeter/internal/kit/course"
)

// File is one Go file of a starter.
type File struct {
	Name string // "backend.go"
	Text []byte
}

// source is a parsed file of a solution.
type source struct {
	name    string // base name
	path    string // as errors name it
	text    []byte
	syntax  *ast.File
	regions []Region
}

// Generate makes the starter of a lab from its solution. The faults it finds are joined in the error,
// each with the solution's file and line as seen from the repository's root.
func Generate(repo *course.Repo, lab *course.Lab) ([]File, error) {
	g := &generator{repo: repo, fset: token.NewFileSet()}
	if err := g.load(lab); err != nil {
		return nil, err
	}
	if err := g.check(lab); err != nil {
		return nil, err
	}
	var files []File
	for _, src := range g.sources {
		text, err := g.generate(src)
		if err != nil {
			return nil, err
		}
		files = append(files, File{Name: src.name, Text: text})
	}
	return files, nil
}

type generator struct {
	repo    *course.Repo
	fset    *token.FileSet
	sources []*source
}

// load reads and parses the solution's files.
func (g *generator) load(lab *course.Lab) error {
	files, err := GoFiles(lab.Solution())
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("%s has no Go files", g.repo.Rel(lab.Solution()))
	}
	for _, name := range files {
		path := filepath.Join(lab.Solution(), name)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		src := &source{name: name, path: g.repo.Rel(path), text: text}
		if src.syntax, err = parser.ParseFile(g.fset, src.path, text, parser.ParseComments|parser.SkipObjectResolution); err != nil {
			return err
		}
		formatted, err := format.Source(text)
		if err != nil {
			return fmt.Errorf("%s: %w", src.path, err)
		}
		if !bytes.Equal(formatted, text) {
			return fmt.Errorf("%s is not formatted: run gofmt -w on it", src.path)
		}
		if src.regions, err = Regions(src.path, text); err != nil {
			return err
		}
		g.sources = append(g.sources, src)
	}
	return nil
}

// GoFiles are the names of a folder's Go files, tests left out, sorted.
func GoFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries { // sorted
		name := e.Name()
		if !e.IsDir() && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && name[0] != '.' && name[0] != '_' {
			names = append(names, name)
		}
	}
	return names, nil
}

// generate makes one file of the starter.
func (g *generator) generate(src *source) ([]byte, error) {
	if len(src.regions) == 0 {
		return src.text, nil
	}
	var out bytes.Buffer
	at := 0
	for _, r := range src.regions {
		out.Write(src.text[at:r.from])
		out.WriteString(g.replacement(src, r))
		at = r.to
	}
	out.Write(src.text[at:])
	text, err := fixImports(g.repo, src.path, out.Bytes())
	if err != nil {
		return nil, err
	}
	return text, nil
}

// replacement is what stands in the starter between the markers of r.
func (g *generator) replacement(src *source, r Region) string {
	switch g.kindOf(src, r) {
	case bodyRegion:
		return fmt.Sprintf("\tpanic(todo.Exercise(%q))\n", r.Exercise)
	case fieldRegion:
		return fmt.Sprintf("\t// What %s needs to keep goes here.\n", r.Exercise)
	default:
		return fmt.Sprintf("\n// What %s needs besides goes here.\n\n", r.Exercise)
	}
}

type regionKind int

const (
	badRegion regionKind = iota
	declRegion
	fieldRegion
	bodyRegion
)

// kindOf tells what a region holds, by the innermost syntax around it.
func (g *generator) kindOf(src *source, r Region) regionKind {
	var around []ast.Node // outermost first
	ast.Inspect(src.syntax, func(n ast.Node) bool {
		if n == nil || n != ast.Node(src.syntax) && !g.encloses(n, r) {
			return false
		}
		around = append(around, n)
		return true
	})
	inner := around[len(around)-1]
	var outer ast.Node
	if len(around) > 1 {
		outer = around[len(around)-2]
	}
	switch inner := inner.(type) {
	case *ast.File, *ast.GenDecl:
		return declRegion
	case *ast.FieldList:
		switch outer.(type) {
		case *ast.StructType, *ast.InterfaceType:
			return fieldRegion
		}
	case *ast.BlockStmt:
		switch outer.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			if g.holdsAll(inner, r) {
				return bodyRegion
			}
		}
	}
	return badRegion
}

// holdsAll reports whether r holds all of a body's statements.
func (g *generator) holdsAll(body *ast.BlockStmt, r Region) bool {
	for _, s := range body.List {
		if g.line(s.Pos()) < r.Begin || g.line(s.End()) > r.End {
			return false
		}
	}
	return len(body.List) > 0
}

// encloses reports whether both markers of r stand inside n.
func (g *generator) encloses(n ast.Node, r Region) bool {
	return g.line(n.Pos()) < r.Begin && g.line(n.End()) > r.End
}

func (g *generator) line(p token.Pos) int { return g.fset.PositionFor(p, false).Line }
