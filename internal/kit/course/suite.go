package course

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

var (
	testName   = regexp.MustCompile(`^Test(\d+[a-z]|\d+_\d+|Scenario)$`)
	exerciseID = regexp.MustCompile(`^(\d+)(?:([a-z])|\.(\d+))$`)
	titleTail  = regexp.MustCompile(`\s*\((?:(\d+) min)?(?:, )?(optional)?\)\.?$`)
)

// IsExerciseID reports whether id has the form of a build step (3d) or an investigation (3.2).
func IsExerciseID(id string) bool { return exerciseID.MatchString(id) }

// LabOf is the number of the lab that an exercise id belongs to, or -1 if it is no such id.
func LabOf(id string) int {
	m := exerciseID.FindStringSubmatch(id)
	if m == nil {
		return -1
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return -1
	}
	return n
}

// exercisesOf reads the exercises from the test files of a lab's folder: build steps first, then
// investigations, then the scenario.
func exercisesOf(dir string) ([]Exercise, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	var all []Exercise
	where := map[string]token.Position{}
	for _, file := range files {
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if parsed == nil {
			return nil, fmt.Errorf("the suite cannot be read: %w", err)
		}
		// A syntax error is the compiler's to report, for that lab alone: what was parsed is listed.
		for _, decl := range parsed.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !testName.MatchString(fn.Name.Name) {
				continue
			}
			e := exerciseOf(fn)
			pos := fset.Position(fn.Pos())
			if first, twice := where[e.ID]; twice {
				return nil, fmt.Errorf("%s: exercise %s has a test already, at %s", pos, e.ID, first)
			}
			where[e.ID] = pos
			all = append(all, e)
		}
	}
	sort.Slice(all, func(i, j int) bool { return order(all[i].ID) < order(all[j].ID) })
	return all, nil
}

// exerciseOf reads one test function.
func exerciseOf(fn *ast.FuncDecl) Exercise {
	test := fn.Name.Name
	id := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(test, "Test"), "_", "."))
	e := Exercise{ID: id, Test: test}
	line, _, _ := strings.Cut(fn.Doc.Text(), "\n")
	title, ok := strings.CutPrefix(line, test+":")
	if !ok {
		return e
	}
	if m := titleTail.FindStringSubmatchIndex(title); m != nil && (m[2] >= 0 || m[4] >= 0) {
		if m[2] >= 0 {
			e.Minutes, _ = strconv.Atoi(title[m[2]:m[3]]) // digits only
		}
		e.Optional = m[4] >= 0
		title = title[:m[0]]
	}
	e.Title = strings.TrimSuffix(strings.TrimSpace(title), ".")
	return e
}

// order is a text that sorts ids as the course takes them.
func order(id string) string {
	m := exerciseID.FindStringSubmatch(id)
	switch {
	case m == nil:
		return "3" + id
	case m[2] != "":
		return "1" + m[2]
	default:
		return fmt.Sprintf("2%04s", m[3])
	}
}
