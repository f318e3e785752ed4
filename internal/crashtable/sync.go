package crashtable

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// directive is the comment behind which a table stands.
var directive = regexp.MustCompile(`^<!-- crash table: (?:(comparison)|(0[3-7]) from (earliest|latest|checkpoint)) -->$`)

// Sync puts the tables that a page asks for behind their directives, in place of what stands there. page is
// the page's name, for errors. A page without a directive costs nothing.
func (ts *Tables) Sync(page string, src []byte) ([]byte, error) {
	var out bytes.Buffer
	lines := strings.SplitAfter(string(src), "\n")
	for i := 0; i < len(lines); i++ {
		out.WriteString(lines[i])
		text := strings.TrimSpace(lines[i])
		if !strings.HasPrefix(text, "<!-- crash table:") {
			continue
		}
		m := directive.FindStringSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf("%s:%d: %q asks for no table: write <!-- crash table: 03 from earliest --> or <!-- crash table: comparison -->", page, i+1, text)
		}
		table, err := ts.ask(m)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", page, i+1, err)
		}
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "|") {
			i++
		}
		out.WriteString(table)
	}
	return out.Bytes(), nil
}

// ask makes the table of a directive.
func (ts *Tables) ask(m []string) (string, error) {
	if m[1] != "" {
		return ts.Compare()
	}
	stage, err := strconv.Atoi(m[2])
	if err != nil {
		return "", err
	}
	t, err := ts.Of(stage, m[3])
	if err != nil {
		return "", err
	}
	return t.Markdown(), nil
}
