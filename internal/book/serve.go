package book

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// Handler serves the book: / is the first page, /NAME a page, /pictures/ the pictures. Pages are read anew
// for each request, so that a writer sees what was just saved.
func (b *Book) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/"+b.pages[0].Name, http.StatusFound)
	})
	mux.HandleFunc("GET /{name}", func(w http.ResponseWriter, r *http.Request) {
		b.serve(w, strings.TrimSuffix(r.PathValue("name"), ".md"))
	})
	mux.Handle("GET /"+pictures+"/", http.StripPrefix("/"+pictures+"/", http.FileServer(http.Dir(filepath.Join(b.root, "docs", pictures)))))
	return mux
}

func (b *Book) serve(w http.ResponseWriter, name string) {
	html, err := b.Render(name, "")
	switch {
	case errors.Is(err, os.ErrNotExist) && html == nil:
		http.Error(w, err.Error(), http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(html) // a reader that has gone
	}
}
