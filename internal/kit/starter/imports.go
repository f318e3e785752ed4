package starter

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"gatewaymeter/internal/kit/course"
)

// todoNote stands beside the import of todo, so that the top of a starter file says what the file is
// and the file still differs from its solution in regions and imports only.
const todoNote = `// made from ../solution by "go tool lab starters"; this file is yours to edit`

// fixImports removes the imports that src no longer uses, adds todo if it does, and formats it.
func fixImports(repo *course.Repo, file string, src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	used := usedImports(repo, fset, parsed)
	todoPath := repo.Module + "/todo"
	needTodo := strings.Contains(string(src), "todo.Exercise(")
	changed := false
	var kept []*ast.ImportSpec
	for _, spec := range parsed.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", fset.Position(spec.Pos()), err)
		}
		if importPath == todoPath && needTodo {
			needTodo = false // it has one
		} else if !used[spec] {
			changed = true
			continue
		}
		kept = append(kept, spec)
	}
	if changed || needTodo {
		src = rewriteImports(repo, fset, parsed, src, kept, needTodo)
	}
	return format.Source(src)
}

// usedImports are the imports whose package the file names, and those for their effects alone.
func usedImports(repo *course.Repo, fset *token.FileSet, file *ast.File) map[*ast.ImportSpec]bool {
	info := looseCheck(repo, fset, []*ast.File{file})
	names := map[types.Object]bool{}
	for _, obj := range info.Uses {
		if pkg, ok := obj.(*types.PkgName); ok {
			names[pkg] = true
		}
	}
	unseen := unresolved(info, file)
	used := map[*ast.ImportSpec]bool{}
	for _, spec := range file.Imports {
		obj := info.Implicits[spec]
		if spec.Name != nil {
			obj = info.Defs[spec.Name]
			used[spec] = spec.Name.Name == "_" || spec.Name.Name == "."
		}
		used[spec] = used[spec] || obj != nil && (names[obj] || unseen[obj.Name()])
	}
	return used
}

// unresolved are the names before a dot that the loose check did not look at: it passes over the type
// arguments of a generic type from a package that it does not read, such as stream.List[gateway.Event].
func unresolved(info *types.Info, file *ast.File) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && info.Uses[x] == nil {
				names[x.Name] = true
			}
		}
		return true
	})
	return names
}

// rewriteImports writes the import declarations anew: those kept, in their groups, and todo, if it
// is needed, with the module's own.
func rewriteImports(repo *course.Repo, fset *token.FileSet, file *ast.File, src []byte, kept []*ast.ImportSpec, needTodo bool) []byte {
	var groups [][]string
	own := -1 // the group with the module's packages
	last := 0
	for _, spec := range kept {
		from, to := spec.Pos(), spec.End()
		if spec.Doc != nil {
			from = spec.Doc.Pos()
		}
		if spec.Comment != nil {
			to = spec.Comment.End()
		}
		start, end := fset.PositionFor(from, false), fset.PositionFor(to, false)
		if len(groups) == 0 || start.Line > last+1 && isGap(fset, file, last, start.Line) {
			groups = append(groups, nil)
		}
		last = end.Line
		g := len(groups) - 1
		groups[g] = append(groups[g], string(src[start.Offset:end.Offset]))
		if strings.HasPrefix(strings.Trim(spec.Path.Value, `"`), repo.Module+"/") {
			own = g
		}
	}
	if needTodo {
		if own < 0 {
			groups = append(groups, nil)
			own = len(groups) - 1
		}
		groups[own] = append(groups[own], strconv.Quote(repo.Module+"/todo")+" "+todoNote)
	}
	from, to := importsRange(fset, file)
	var out strings.Builder
	out.Write(src[:from])
	if from == to {
		out.WriteString("\n\n")
	}
	out.WriteString(importText(groups))
	out.Write(src[to:])
	return []byte(out.String())
}

// isGap reports whether the author divided two imports by an empty line; lines of imports that are
// gone do not count.
func isGap(fset *token.FileSet, file *ast.File, last, next int) bool {
	taken := map[int]bool{}
	for _, spec := range file.Imports {
		from := spec.Pos()
		if spec.Doc != nil {
			from = spec.Doc.Pos()
		}
		for l := fset.PositionFor(from, false).Line; l <= fset.PositionFor(spec.End(), false).Line; l++ {
			taken[l] = true
		}
	}
	for l := last + 1; l < next; l++ {
		if !taken[l] {
			return true
		}
	}
	return false
}

// importsRange is the bytes from the first import declaration to the end of the last; without any,
// the place after the package clause, twice.
func importsRange(fset *token.FileSet, file *ast.File) (from, to int) {
	offset := func(p token.Pos) int { return fset.PositionFor(p, false).Offset }
	from = offset(file.Name.End())
	to = from
	first := true
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.IMPORT {
			continue
		}
		if first {
			from, first = offset(gen.Pos()), false
		}
		to = offset(gen.End())
		if spec := gen.Specs[len(gen.Specs)-1].(*ast.ImportSpec); spec.Comment != nil && !gen.Rparen.IsValid() {
			to = offset(spec.Comment.End())
		}
	}
	return from, to
}

func importText(groups [][]string) string {
	if len(groups) == 0 {
		return ""
	}
	if len(groups) == 1 && len(groups[0]) == 1 {
		return "import " + groups[0][0]
	}
	var texts []string
	for _, g := range groups {
		texts = append(texts, "\t"+strings.Join(g, "\n\t"))
	}
	return "import (\n" + strings.Join(texts, "\n\n") + "\n)"
}

// looseCheck resolves the names of a package's files as far as they go without its imports: package
// names, the package's own objects, fields and methods. What needs an import's types stays unresolved.
func looseCheck(repo *course.Repo, fset *token.FileSet, files []*ast.File) *types.Info {
	info := &types.Info{
		Defs:      map[*ast.Ident]types.Object{},
		Uses:      map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{},
	}
	config := types.Config{
		Importer:         emptyImporter{repo},
		Error:            func(error) {}, // many: the imports are empty
		IgnoreFuncBodies: false,
	}
	_, _ = config.Check("lab", fset, files, info) // the errors went to Error
	return info
}

// emptyImporter answers each import with an empty package of the right name.
type emptyImporter struct{ repo *course.Repo }

func (i emptyImporter) Import(importPath string) (*types.Package, error) {
	pkg := types.NewPackage(importPath, packageName(i.repo, importPath))
	pkg.MarkComplete()
	return pkg, nil
}

var majorVersion = regexp.MustCompile(`^v\d+$`)

// packageName is the name of an imported package: read from its source if it is the module's own,
// else the last part of its path that is no major version.
func packageName(repo *course.Repo, importPath string) string {
	if rel, ok := strings.CutPrefix(importPath, repo.Module+"/"); ok {
		dir := filepath.Join(repo.Root, filepath.FromSlash(rel))
		if names, err := GoFiles(dir); err == nil && len(names) > 0 {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, names[0]), nil, parser.PackageClauseOnly)
			if err == nil {
				return file.Name.Name
			}
		}
	}
	name := path.Base(importPath)
	if majorVersion.MatchString(name) && path.Dir(importPath) != "." {
		name = path.Base(path.Dir(importPath))
	}
	return name
}
