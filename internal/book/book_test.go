package book

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const sample = `package sample

// Add adds.
func Add(a, b int) int {
	//lab:begin 1a
	return a + b
	//lab:end
}

// T is a type.
type T[K any] struct{ k K }

// M is a method.
func (t *T[K]) M() {}
`

// repo makes a repository with one page and one Go file.
func repo(t *testing.T, page string) string {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "docs"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "sample.go"), []byte(sample), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, "docs", "01-page.md"), []byte(page), 0o644))
	return root
}

func TestSyncPutsCodeBehindItsDirective(t *testing.T) {
	page := "# P\n\n<!-- code: sample.go#Add -->\n```go\nold\n```\ntext\n<!-- code: sample.go#T.M -->\n<!-- code: sample.go#lab:1a -->\n"
	want := "# P\n\n<!-- code: sample.go#Add -->\n```go\n// Add adds.\nfunc Add(a, b int) int {\n\treturn a + b\n}\n```\ntext\n" +
		"<!-- code: sample.go#T.M -->\n```go\n// M is a method.\nfunc (t *T[K]) M() {}\n```\n" +
		"<!-- code: sample.go#lab:1a -->\n```go\nreturn a + b\n```\n"
	root := repo(t, page)
	got, err := Sync(root, "p.md", []byte(page))
	require.NoError(t, err)
	require.Equal(t, want, string(got))
	again, err := Sync(root, "p.md", got)
	require.NoError(t, err)
	require.Equal(t, want, string(again), "a second time changes nothing")
}

func TestDeadIncludesAreNamed(t *testing.T) {
	root := repo(t, "# P\n")
	for directive, want := range map[string]string{
		"<!-- code: gone.go#Add -->":      "gone.go",
		"<!-- code: sample.go#Sub -->":    "sample.go declares no Sub",
		"<!-- code: sample.go#lab:9z -->": "sample.go has no region of exercise 9z",
	} {
		_, err := Sync(root, "docs/p.md", []byte("# P\n"+directive+"\n"))
		require.ErrorContains(t, err, "docs/p.md:2")
		require.ErrorContains(t, err, want)
	}
}

func TestPagesAreServedAndBuilt(t *testing.T) {
	root := repo(t, "# Page\n\n[again](01-page.md#page), [file](../sample.go)\n\n<!-- code: sample.go#Add -->\n")
	b, err := Open(root)
	require.NoError(t, err)
	w := httptest.NewRecorder()
	b.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/01-page", nil))
	require.Equal(t, http.StatusOK, w.Code)
	require.Contains(t, w.Body.String(), `href="01-page#page"`)
	require.Contains(t, w.Body.String(), "Add")
	require.Contains(t, w.Body.String(), "file (<code>sample.go</code>)", "a file of the repository is named, not linked")
	w = httptest.NewRecorder()
	b.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/nothing", nil))
	require.Equal(t, http.StatusNotFound, w.Code)

	dir := t.TempDir()
	require.NoError(t, b.Build(dir))
	html, err := os.ReadFile(filepath.Join(dir, "01-page.html"))
	require.NoError(t, err)
	require.Contains(t, string(html), `href="01-page.html#page"`)
}

func TestPicturesAreServedAndBuilt(t *testing.T) {
	root := repo(t, "# P\n\n![A square](pictures/01-square.svg)\n")
	const svg = `<svg xmlns="http://www.w3.org/2000/svg"/>`
	require.NoError(t, os.MkdirAll(filepath.Join(root, "docs", "pictures"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "docs", "pictures", "01-square.svg"), []byte(svg), 0o644))
	b, err := Open(root)
	require.NoError(t, err)
	w := httptest.NewRecorder()
	b.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/01-page", nil))
	require.Contains(t, w.Body.String(), `<img src="pictures/01-square.svg" alt="A square">`)
	w = httptest.NewRecorder()
	b.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/pictures/01-square.svg", nil))
	require.Equal(t, svg, w.Body.String())
	require.Equal(t, "image/svg+xml", w.Header().Get("Content-Type"))

	dir := t.TempDir()
	require.NoError(t, b.Build(dir))
	built, err := os.ReadFile(filepath.Join(dir, "pictures", "01-square.svg"))
	require.NoError(t, err)
	require.Equal(t, svg, string(built))
}
