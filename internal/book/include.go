package book

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// directive is the comment that includes code.
var directive = regexp.MustCompile(`^<!-- code: ([\w./-]+)(?:#([\w.:]+))? -->$`)

// Sync puts the code that a page includes behind each of its directives, in place of what stands
// there. root is the repository's folder; page is the page's name, for errors.
func Sync(root, page string, src []byte) ([]byte, error) {
	var out bytes.Buffer
	lines := strings.SplitAfter(string(src), "\n")
	for i := 0; i < len(lines); i++ {
		out.WriteString(lines[i])
		m := directive.FindStringSubmatch(strings.TrimSpace(lines[i]))
		if m == nil {
			continue
		}
		code, err := Code(root, m[1], m[2])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", page, i+1, err)
		}
		i = skipBlock(lines, i)
		fmt.Fprintf(&out, "```%s\n%s\n```\n", strings.TrimPrefix(filepath.Ext(m[1]), "."), code)
	}
	return out.Bytes(), nil
}

// skipBlock returns the last line of the fenced block that follows line i at once, or i if none does.
func skipBlock(lines []string, i int) int {
	if i+1 >= len(lines) || !strings.HasPrefix(lines[i+1], "```") {
		return i
	}
	for j := i + 2; j < len(lines); j++ {
		if strings.HasPrefix(lines[j], "```") {
			return j
		}
	}
	return i
}

// Code is the code that a directive names: a declaration of a Go file with its doc comment, an
// exercise's regions, or with no symbol a whole file.
func Code(root, path, symbol string) (string, error) {
	src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		return "", fmt.Errorf("the code that is included: %w", err)
	}
	if symbol == "" {
		return strings.TrimRight(string(src), "\n"), nil
	}
	if id, ok := strings.CutPrefix(symbol, "lab:"); ok {
		return regions(path, string(src), id)
	}
	return declaration(path, src, symbol)
}

// regions are the lines between an exercise's markers.
func regions(path, src, id string) (string, error) {
	var parts []string
	var part []string
	inside := false
	for line := range strings.Lines(src) {
		line = strings.TrimRight(line, "\n")
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "//lab:begin "+id:
			inside, part = true, nil
		case trimmed == "//lab:end" && inside:
			inside = false
			parts = append(parts, dedent(part))
		case inside:
			part = append(part, line)
		}
	}
	if len(parts) == 0 {
		return "", fmt.Errorf("%s has no region of exercise %s", path, id)
	}
	return strings.Join(parts, "\n\n"), nil
}

// dedent takes the indentation that all lines share away.
func dedent(lines []string) string {
	least := -1
	for _, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		if n := len(l) - len(strings.TrimLeft(l, "\t")); least < 0 || n < least {
			least = n
		}
	}
	for i, l := range lines {
		lines[i] = l[min(len(l), max(0, least)):]
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// marker matches the lines that only the exercise kit needs.
var marker = regexp.MustCompile(`(?m)^\s*//lab:(begin .*|end)\n`)

// declaration is a top-level declaration of a Go file, as it stands there, without markers.
func declaration(path string, src []byte, symbol string) (string, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, src, parser.ParseComments)
	if err != nil {
		return "", err
	}
	for _, d := range f.Decls {
		from, to, ok := find(d, symbol)
		if ok {
			code := src[files.Position(from).Offset:files.Position(to).Offset]
			return strings.TrimSpace(string(marker.ReplaceAll(code, nil))), nil
		}
	}
	return "", fmt.Errorf("%s declares no %s", path, symbol)
}

// find compares a declaration with a symbol and gives its extent, doc comment included.
func find(d ast.Decl, symbol string) (from, to token.Pos, ok bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			name = receiver(d.Recv.List[0].Type) + "." + name
		}
		return start(d, d.Doc), d.End(), name == symbol
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if declares(spec, symbol) {
				return start(d, d.Doc), d.End(), true
			}
		}
	}
	return 0, 0, false
}

func start(n ast.Node, doc *ast.CommentGroup) token.Pos {
	if doc != nil {
		return doc.Pos()
	}
	return n.Pos()
}

func declares(spec ast.Spec, symbol string) bool {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		return s.Name.Name == symbol
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if n.Name == symbol {
				return true
			}
		}
	}
	return false
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
