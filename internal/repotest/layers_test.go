package repotest

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "gatewaymeter/"

// allowed says which packages of this module a layer may import, besides itself. A name stands for
// everything below it. The order is that of docs/design.md §2: contracts, parts, assembly.
var allowed = map[string][]string{
	"stream":      {},
	"todo":        {},
	"gateway":     {},
	"oracle":      {}, // the truth shares no code with what it judges
	"engine":      {"stream", "todo"},
	"harness":     {"engine", "stream", "todo"},
	"broker":      {"stream", "gateway"},
	"generator":   {"gateway"},
	"pipeline":    {"stream", "engine", "gateway", "generator", "oracle", "broker", "labs"},
	"bench":       {"stream", "engine", "gateway", "labs", "pipeline"},
	"conformance": {"stream", "engine", "gateway", "harness", "labs", "todo"},
}

var labPackage = regexp.MustCompile(`^labs/(\d\d)-[\w-]+/(solution|starter|serialised)$`)

func TestImportsPointOneWay(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		for _, i := range p.Imports {
			imported, ours := strings.CutPrefix(i, module)
			if !ours || imported == name {
				continue
			}
			if strings.HasPrefix(imported, "labs/") && strings.HasSuffix(imported, "/starter") {
				t.Errorf("%s imports %s: a starter that does not compile would take the importer down; import the solution", name, imported)
			}
			if !mayImport(name, imported) {
				t.Errorf("%s imports %s: that points up the layers; pass what is needed as a value, or move it down (docs/design.md)", name, imported)
			}
		}
	}
}

// mayImport applies the table, and the rule of labs: contracts, and the solutions of lower numbers.
func mayImport(name, imported string) bool {
	if lab := labPackage.FindStringSubmatch(name); lab != nil {
		return labMayImport(lab[1], imported)
	}
	layer, _, _ := strings.Cut(name, "/")
	list, ruled := allowed[layer]
	if !ruled {
		return true // cmd, internal: the assembly
	}
	below, _, _ := strings.Cut(imported, "/")
	return below == layer || slices.Contains(list, below)
}

func labMayImport(number, imported string) bool {
	if other := labPackage.FindStringSubmatch(imported); other != nil {
		mine, _ := strconv.Atoi(number)
		theirs, _ := strconv.Atoi(other[1])
		return theirs <= mine
	}
	// harness is for investigate.go alone; see TestOnlyInvestigationsUseTheHarness.
	return slices.Contains([]string{"stream", "todo", "gateway", "harness", "engine"}, imported)
}

func TestOnlyInvestigationsUseTheHarness(t *testing.T) {
	top := root(t)
	for _, f := range goFiles(t) {
		if !strings.Contains(f, "/solution/") && !strings.Contains(f, "/starter/") || strings.HasSuffix(f, "_test.go") ||
			strings.HasSuffix(f, "/investigate.go") || !strings.HasPrefix(f, "labs/") {
			continue
		}
		lines(t, top+"/"+f, func(n int, line string) {
			for _, pkg := range []string{"harness", "engine"} {
				if strings.TrimSpace(line) == `"`+module+pkg+`"` {
					t.Errorf("%s:%d imports %s: a lab's part knows contracts only; its investigations stand in investigate.go", f, n, pkg)
				}
			}
		})
	}
}
