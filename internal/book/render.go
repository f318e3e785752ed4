package book

import (
	"bytes"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	_ "embed"

	"github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/yuin/goldmark"
	highlighting "github.com/yuin/goldmark-highlighting/v2"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	gmhtml "github.com/yuin/goldmark/renderer/html"
)

// Page is one page of the book.
type Page struct {
	Name  string // of the file, without .md: its address
	Title string
	path  string
}

// Book is the pages below a repository's docs/.
type Book struct {
	root  string
	pages []Page
	md    goldmark.Markdown
	shell *template.Template
}

//go:embed shell.html
var shell string

// Open finds the pages of the repository at root: the chapters in order, then the others by name.
func Open(root string) (*Book, error) {
	paths, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s holds no docs: is this a clone of GatewayMeter?", root)
	}
	b := &Book{root: root, shell: template.Must(template.New("shell").Parse(shell))}
	b.md = goldmark.New(
		goldmark.WithExtensions(extension.GFM, highlighting.NewHighlighting(
			highlighting.WithStyle("github"),
			highlighting.WithFormatOptions(html.WithClasses(false), html.TabWidth(4)),
		)),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(gmhtml.WithUnsafe()), // the pages are ours; they fold answers with <details>
	)
	for _, p := range paths {
		title, err := titleOf(p)
		if err != nil {
			return nil, err
		}
		b.pages = append(b.pages, Page{Name: strings.TrimSuffix(filepath.Base(p), ".md"), Title: title, path: p})
	}
	sort.SliceStable(b.pages, func(i, j int) bool { return chapter(b.pages[i]) && !chapter(b.pages[j]) })
	return b, nil
}

func chapter(p Page) bool { return p.Name[0] >= '0' && p.Name[0] <= '9' }

// titleOf is the first heading of a page.
func titleOf(path string) (string, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(src)) {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			return strings.TrimSpace(title), nil
		}
	}
	return "", fmt.Errorf("%s has no title: its first heading must be # Title", path)
}

// Pages lists the pages in reading order.
func (b *Book) Pages() []Page { return b.pages }

// page finds a page by name.
func (b *Book) page(name string) (Page, bool) {
	for _, p := range b.pages {
		if p.Name == name {
			return p, true
		}
	}
	return Page{}, false
}

// mdLink matches links to other pages, which have no .md in a browser.
var mdLink = regexp.MustCompile(`href="([\w-]+)\.md(#[^"]*)?"`)

// outside matches links to files of the repository that are no pages: a browser has nothing behind them.
var outside = regexp.MustCompile(`<a href="\.\./([^"]*)">(.*?)</a>`)

// Render is a page as HTML, freshly read, its code freshly included. suffix is what links to other
// pages end in: nothing when served, .html in a folder of files.
func (b *Book) Render(name, suffix string) ([]byte, error) {
	p, ok := b.page(name)
	if !ok {
		return nil, fmt.Errorf("there is no page %q: %w", name, os.ErrNotExist)
	}
	src, err := os.ReadFile(p.path)
	if err != nil {
		return nil, err
	}
	if src, err = Sync(b.root, "docs/"+p.Name+".md", src); err != nil {
		return nil, err
	}
	var body bytes.Buffer
	if err := b.md.Convert(src, &body); err != nil {
		return nil, err
	}
	linked := mdLink.ReplaceAll(body.Bytes(), []byte(`href="$1`+suffix+`$2"`))
	linked = outside.ReplaceAll(linked, []byte(`$2 (<code>$1</code>)`))
	var out bytes.Buffer
	err = b.shell.Execute(&out, map[string]any{
		"Title": p.Title, "Name": p.Name, "Pages": b.pages, "Suffix": suffix,
		"Body": template.HTML(linked), // rendered from our own pages
	})
	return out.Bytes(), err
}

// Build writes every page, and the pictures, into a folder.
func (b *Book) Build(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, p := range b.pages {
		html, err := b.Render(p.Name, ".html")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, p.Name+".html"), html, 0o644); err != nil {
			return err
		}
	}
	first, err := b.Render(b.pages[0].Name, ".html")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "index.html"), first, 0o644); err != nil {
		return err
	}
	return b.copyPictures(dir)
}

// pictures is the folder below docs/ that the pages' pictures, and the scripts behind them, stand in.
const pictures = "pictures"

// copyPictures copies it, if there is one.
func (b *Book) copyPictures(dir string) error {
	from := filepath.Join(b.root, "docs", pictures)
	if _, err := os.Stat(from); err != nil {
		return nil
	}
	to := filepath.Join(dir, pictures)
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return os.CopyFS(to, os.DirFS(from))
}
