package starter

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"sort"
	"strconv"

	"gatewaymeter/internal/kit/course"
)

// check applies the rules of regions to the whole solution and joins all faults.
func (g *generator) check(lab *course.Lab) error {
	var faults []*Fault
	add := func(src *source, line int, format string, args ...any) {
		faults = append(faults, &Fault{File: src.path, Line: line, Text: fmt.Sprintf(format, args...)})
	}
	for _, src := range g.sources {
		for _, r := range src.regions {
			if lab.Exercise(r.Exercise) == nil {
				add(src, r.Begin, "the suite of lab %s has no test of exercise %s", lab.Name, r.Exercise)
			}
		}
		g.checkPlace(src, add)
		g.checkImports(src, add)
	}
	g.checkNames(add)
	sort.Slice(faults, func(i, j int) bool {
		a, b := faults[i], faults[j]
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Text < b.Text
	})
	errs := make([]error, len(faults))
	for i, f := range faults {
		errs[i] = f
	}
	return errors.Join(errs...)
}

type addFault func(src *source, line int, format string, args ...any)

// checkPlace checks that each region holds a whole body, whole fields or whole declarations.
func (g *generator) checkPlace(src *source, add addFault) {
	for _, r := range src.regions {
		if len(bytes.TrimSpace(src.text[r.from:r.to])) == 0 {
			add(src, r.Begin, "region %s is empty", r.Exercise)
		} else if n := g.cut(src, r); n != nil {
			add(src, r.Begin, "region %s cuts through what begins in line %d", r.Exercise, g.line(n.Pos()))
		} else if g.kindOf(src, r) == badRegion {
			add(src, r.Begin, "region %s is a part of something: a region in a function holds its whole body, any other whole fields of a struct or whole declarations", r.Exercise)
		}
		for _, group := range docs(src.syntax) {
			for _, c := range group.List {
				if line := g.line(c.Pos()); (line == r.Begin || line == r.End) && len(group.List) > 1 {
					add(src, line, "the marker is part of a doc comment: put an empty line between them")
				}
			}
		}
	}
}

// cut is the outermost syntax that has one of the markers of r inside and the other outside; nil if
// there is none.
func (g *generator) cut(src *source, r Region) ast.Node {
	var found ast.Node
	ast.Inspect(src.syntax, func(n ast.Node) bool {
		if n == nil || found != nil {
			return false
		}
		inside := func(line int) bool { return g.line(n.Pos()) < line && line < g.line(n.End()) }
		if n != ast.Node(src.syntax) && inside(r.Begin) != inside(r.End) {
			found = n
		}
		return true
	})
	return found
}

// docs are the doc comments of a file's declarations, whose directives gofmt moves to their end. It
// leaves those of fields alone.
func docs(file *ast.File) []*ast.CommentGroup {
	var all []*ast.CommentGroup
	ast.Inspect(file, func(n ast.Node) bool {
		var doc *ast.CommentGroup
		switch n := n.(type) {
		case *ast.FuncDecl:
			doc = n.Doc
		case *ast.GenDecl:
			doc = n.Doc
		case *ast.TypeSpec:
			doc = n.Doc
		case *ast.ValueSpec:
			doc = n.Doc
		}
		if doc != nil {
			all = append(all, doc)
		}
		return true
	})
	return all
}

// checkImports checks that each import's package name is known, or unused imports could not be told.
func (g *generator) checkImports(src *source, add addFault) {
	if len(src.regions) == 0 {
		return
	}
	used := usedImports(g.repo, g.fset, src.syntax)
	for _, spec := range src.syntax.Imports {
		if used[spec] {
			continue
		}
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has refused it
		}
		add(src, g.line(spec.Pos()), "the import of %s is unused, or its package is not named %s: then give the import a name", importPath, path.Base(importPath))
	}
}

// checkNames checks that what regions declare is used in regions only, and is not exported.
func (g *generator) checkNames(add addFault) {
	files := make([]*ast.File, len(g.sources))
	for i, src := range g.sources {
		files[i] = src.syntax
	}
	info := looseCheck(g.repo, g.fset, files)
	hidden := map[types.Object]token.Pos{} // declared in a region
	for id, obj := range info.Defs {
		if obj == nil || !isMember(obj) {
			continue
		}
		src, r := g.regionAt(id.Pos())
		if r == nil || g.kindOf(src, *r) == bodyRegion {
			continue
		}
		hidden[obj] = id.Pos()
		if obj.Exported() && !g.ownedByRegion(obj) {
			add(src, g.line(id.Pos()), "%s is exported and declared in region %s: the starter must keep every exported name", id.Name, r.Exercise)
		}
	}
	for id, obj := range info.Uses {
		at, ok := hidden[origin(obj)]
		if !ok {
			continue
		}
		if _, r := g.regionAt(id.Pos()); r != nil {
			continue
		}
		_, home := g.regionAt(at)
		declared := g.fset.PositionFor(at, false)
		add(g.sourceAt(id.Pos()), g.line(id.Pos()), "%s is used outside of a region, but declared in region %s (%s:%d)", id.Name, home.Exercise, declared.Filename, declared.Line)
	}
}

// origin is the declared object behind a use: an instance of a generic type has fields and methods of
// its own.
func origin(obj types.Object) types.Object {
	switch obj := obj.(type) {
	case *types.Var:
		return obj.Origin()
	case *types.Func:
		return obj.Origin()
	}
	return obj
}

// isMember reports whether obj belongs to the package (a declaration, a field or a method) rather
// than to a function.
func isMember(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Var:
		return obj.IsField() || obj.Parent() == obj.Pkg().Scope()
	case *types.Func:
		return obj.Name() != "_" && obj.Name() != "init"
	case *types.TypeName, *types.Const:
		return obj.Parent() == obj.Pkg().Scope()
	}
	return false
}

// ownedByRegion reports whether obj is a field or method of a type that a region declares: then the
// type itself is what is checked.
func (g *generator) ownedByRegion(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Var:
		return obj.IsField() && g.typeInRegion(obj.Pos())
	case *types.Func:
		recv := obj.Signature().Recv()
		if recv == nil {
			return false
		}
		t := recv.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if named, ok := t.(*types.Named); ok {
			_, r := g.regionAt(named.Obj().Pos())
			return r != nil
		}
		return g.typeInRegion(obj.Pos())
	}
	return false
}

// typeInRegion reports whether the type declaration around pos stands in a region as a whole.
func (g *generator) typeInRegion(pos token.Pos) bool {
	src := g.sourceAt(pos)
	found := false
	ast.Inspect(src.syntax, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok && spec.Pos() <= pos && pos < spec.End() {
			_, r := g.regionAt(spec.Pos())
			found = r != nil
		}
		return true
	})
	return found
}

// regionAt is the region that a position stands in; nil if it is in none.
func (g *generator) regionAt(pos token.Pos) (*source, *Region) {
	src := g.sourceAt(pos)
	line := g.line(pos)
	for i := range src.regions {
		if r := &src.regions[i]; r.Begin < line && line < r.End {
			return src, r
		}
	}
	return src, nil
}

func (g *generator) sourceAt(pos token.Pos) *source {
	for _, src := range g.sources {
		if src.syntax.FileStart <= pos && pos <= src.syntax.FileEnd {
			return src
		}
	}
	panic("a position outside of all files")
}
