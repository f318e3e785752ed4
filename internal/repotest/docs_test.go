package repotest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gatewaymeter/internal/book"
)

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinksLeadSomewhere checks relative links in every Markdown file; the anchor of a link is
// checked too, against the headings of the page it leads to.
func TestLinksLeadSomewhere(t *testing.T) {
	top := root(t)
	for _, f := range gitFiles(t, "*.md") {
		fenced := false
		lines(t, filepath.Join(top, f), func(n int, line string) {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				fenced = !fenced
			}
			if fenced {
				return
			}
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				target, anchor, _ := strings.Cut(m[1], "#")
				if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
					continue
				}
				path := filepath.Join(top, filepath.Dir(f), target)
				if target == "" {
					path = filepath.Join(top, f)
				}
				if _, err := os.Stat(path); err != nil {
					t.Errorf("%s:%d links to %s, which is not there", f, n, m[1])
				} else if anchor != "" && strings.HasSuffix(path, ".md") && !hasHeading(t, path, anchor) {
					t.Errorf("%s:%d links to %s, but the page has no such heading", f, n, m[1])
				}
			}
		})
	}
}

var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}\- ]`)

// hasHeading reports whether a page has a heading with that anchor, as Markdown renderers make it.
func hasHeading(t *testing.T, path, anchor string) (found bool) {
	lines(t, path, func(_ int, line string) {
		if title, ok := strings.CutPrefix(line, "#"); ok {
			title = strings.ToLower(strings.TrimSpace(strings.TrimLeft(title, "#")))
			found = found || strings.ReplaceAll(notInAnchor.ReplaceAllString(title, ""), " ", "-") == anchor
		}
	})
	return found
}

// TestCodeInPagesIsUpToDate compares the code that pages include with the files it comes from.
func TestCodeInPagesIsUpToDate(t *testing.T) {
	top := root(t)
	for _, f := range gitFiles(t, "docs/*.md") {
		src, err := os.ReadFile(filepath.Join(top, f))
		if err != nil {
			t.Fatal(err)
		}
		synced, err := book.Sync(top, f, src)
		switch {
		case err != nil:
			t.Error(err)
		case string(synced) != string(src):
			t.Errorf("%s shows code that has changed: run `go tool lab docs sync`", f)
		}
	}
}
