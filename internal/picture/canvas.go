package picture

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// width is that of every picture, in px: it is read at this size and shrinks with the page.
const width = 720

// canvas writes an SVG. It remembers where text stands, so that a test can tell whether two labels
// overlap.
type canvas struct {
	height float64
	body   strings.Builder
	labels []label
}

// label is where a text stands.
type label struct {
	text       string
	x, y, w, h float64
}

// Colours, fonts and line styles, for light and dark. A picture has its own background, so that it can
// be read on a page of the other kind.
const style = `
.paper{fill:#fff;stroke:#d1d9e0}
text{fill:#1f2328;font:13px system-ui,"Segoe UI","DejaVu Sans",sans-serif}
.title{font-weight:600;font-size:15px}
.soft{fill:#59636e}
.small{font-size:12px}
.on{fill:#fff;font-weight:600}
.grid{stroke:#d1d9e0;fill:none}
.ink{stroke:#1f2328;fill:none}
.blue{stroke:#0550ae;fill:#0550ae}
.green{stroke:#116329;fill:#116329}
.orange{stroke:#953800;fill:#953800}
.red{stroke:#a40e26;fill:#a40e26}
.violet{stroke:#6639ba;fill:#6639ba}
.line{fill:none}
.tint{fill-opacity:.13}
.hollow{fill:#fff}
.bold{stroke-width:3;stroke-linecap:square}
.fat{stroke-width:6;stroke-opacity:.45;stroke-linecap:square}
.thin{stroke-width:1.6}
.dash{stroke-dasharray:5 4}
.dots{stroke-dasharray:1.5 3.5}
text.blue,text.green,text.orange,text.red,text.violet{stroke:none}
@media (prefers-color-scheme:dark){
.paper{fill:#0d1117;stroke:#3d444d}
text{fill:#e6edf3}
.soft{fill:#9198a1}
.on{fill:#0d1117}
.grid{stroke:#3d444d}
.ink{stroke:#e6edf3}
.hollow{fill:#0d1117}
.blue{stroke:#6cb6ff;fill:#6cb6ff}
.green{stroke:#57ab5a;fill:#57ab5a}
.orange{stroke:#f69d50;fill:#f69d50}
.red{stroke:#ff938a;fill:#ff938a}
.violet{stroke:#b083f0;fill:#b083f0}
.line{fill:none}
.hollow{fill:#0d1117}
}
`

// svg is the finished picture.
func (c *canvas) svg(title, desc string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %s" width="%d" height="%s" role="img" aria-labelledby="title desc">`+"\n",
		width, num(c.height), width, num(c.height))
	fmt.Fprintf(&b, "<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n", html.EscapeString(title), html.EscapeString(desc))
	fmt.Fprintf(&b, "<style>%s</style>\n", style)
	fmt.Fprintf(&b, `<rect class="paper" x="0.5" y="0.5" width="%d" height="%s" rx="6"/>`+"\n", width-1, num(c.height-1))
	b.WriteString(c.body.String())
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// num prints a coordinate, in tenths.
func num(v float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", math.Round(v*10)/10), ".0")
}

// anchor says which end of a text stands at its x.
type anchor string

const (
	start  anchor = "start"
	middle anchor = "middle"
	end    anchor = "end"
)

// text writes a line whose baseline is y.
func (c *canvas) text(x, y float64, a anchor, class, s string) {
	if s == "" {
		return
	}
	size := 13.0
	switch {
	case strings.Contains(class, "title"):
		size = 15
	case strings.Contains(class, "small"):
		size = 12
	}
	w := textWidth(s, size)
	left := x
	switch a {
	case middle:
		left -= w / 2
	case end:
		left -= w
	}
	c.labels = append(c.labels, label{s, left, y - 0.8*size, w, size})
	fmt.Fprintf(&c.body, `<text x="%s" y="%s"%s%s>%s</text>`+"\n", num(x), num(y), attr("text-anchor", string(a), string(start)), attr("class", class, ""), html.EscapeString(s))
}

func attr(name, value, usual string) string {
	if value == usual {
		return ""
	}
	return fmt.Sprintf(` %s="%s"`, name, value)
}

// textWidth is about how wide a text is, in a wide font such as DejaVu Sans: narrower ones fit too.
func textWidth(s string, size float64) (w float64) {
	for _, r := range s {
		switch {
		case strings.ContainsRune("ijlI.,:;'|!", r):
			w += 0.34
		case strings.ContainsRune("ftr()[] -/", r):
			w += 0.41
		case strings.ContainsRune("mwMW@%", r):
			w += 0.93
		case r >= 'A' && r <= 'Z':
			w += 0.69
		default:
			w += 0.62
		}
	}
	return w * size
}

func (c *canvas) rect(class string, x, y, w, h, round float64) {
	fmt.Fprintf(&c.body, `<rect class="%s" x="%s" y="%s" width="%s" height="%s" rx="%s"/>`+"\n", class, num(x), num(y), num(w), num(h), num(round))
}

func (c *canvas) circle(class string, x, y, r float64) {
	fmt.Fprintf(&c.body, `<circle class="%s" cx="%s" cy="%s" r="%s"/>`+"\n", class, num(x), num(y), num(r))
}

// path draws a line through points: x, y, x, y, …
func (c *canvas) path(class string, points ...float64) {
	if len(points) < 4 {
		return
	}
	var d strings.Builder
	for i := 0; i+1 < len(points); i += 2 {
		fmt.Fprintf(&d, "%s%s %s", map[bool]string{true: "M", false: "L"}[i == 0], num(points[i]), num(points[i+1]))
	}
	fmt.Fprintf(&c.body, `<path class="%s line" d="%s"/>`+"\n", strings.TrimSpace(class), d.String())
}

// cross marks the end of something.
func (c *canvas) cross(class string, x, y float64) {
	const r = 4.5
	c.path(class+" thin", x-r, y-r, x+r, y+r)
	c.path(class+" thin", x-r, y+r, x+r, y-r)
}

// overlaps names two texts that stand in each other's way, or one that leaves the picture; "" if there
// are none.
func (c *canvas) overlaps() string {
	for i, a := range c.labels {
		if a.x < 4 || a.x+a.w > width-4 || a.y < 2 || a.y+a.h > c.height-2 {
			return fmt.Sprintf("%q leaves the picture", a.text)
		}
		for _, b := range c.labels[:i] {
			if a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h && b.y < a.y+a.h {
				return fmt.Sprintf("%q stands over %q", a.text, b.text)
			}
		}
	}
	return ""
}
