package oracle

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"
)

// Difference is one place where a run and the oracle disagree.
type Difference struct {
	Where  string `json:"where"`  // the topic or count, and the line's identity
	Engine string `json:"engine"` // what the run has there
	Oracle string `json:"oracle"` // what is right
}

// String is the difference on one line.
func (d Difference) String() string {
	return fmt.Sprintf("%s: engine has %s, oracle has %s", d.Where, d.Engine, d.Oracle)
}

// Table prints the first differences, engine and oracle side by side, and how many more there are. It
// returns "" when there is none.
func Table(differences []Difference, most int) string {
	if len(differences) == 0 {
		return ""
	}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "where\tengine\toracle")
	shown := differences[:min(most, len(differences))]
	for _, d := range shown {
		fmt.Fprintf(w, "%s\t%s\t%s\n", d.Where, d.Engine, d.Oracle)
	}
	_ = w.Flush() // a strings.Builder does not fail
	if rest := len(differences) - len(shown); rest > 0 {
		fmt.Fprintf(&text, "and %d more\n", rest)
	}
	return text.String()
}

// nothing stands in a difference where a side has no such line.
const nothing = "nothing"

// line is an output line reduced to who it is and what it says.
type line struct{ id, text string }

// compare holds the lines that were read against those that are right. Each right line must be there
// once, or with repeats at least once and always the same; no other line may be there. Differences come
// in the order of the right lines, then of the lines too many.
func compare(topic string, want, got []line, repeats bool) []Difference {
	found := map[string][]string{}
	for _, l := range got {
		found[l.id] = append(found[l.id], l.text)
	}
	var ds []Difference
	note := func(id string, texts []string, right string) {
		ds = append(ds, Difference{Where: topic + " " + id, Engine: tell(texts), Oracle: cut(right)})
	}
	known := map[string]bool{}
	for _, l := range want {
		known[l.id] = true
		if !agree(found[l.id], l.text, repeats) {
			note(l.id, found[l.id], l.text)
		}
	}
	for _, l := range got {
		if !known[l.id] {
			known[l.id] = true
			note(l.id, found[l.id], nothing)
		}
	}
	return ds
}

func agree(texts []string, right string, repeats bool) bool {
	if len(texts) == 0 || len(texts) > 1 && !repeats {
		return false
	}
	return !slices.ContainsFunc(texts, func(t string) bool { return t != right })
}

// tell prints the lines of one identity.
func tell(texts []string) string {
	if len(texts) == 0 {
		return nothing
	}
	first := cut(texts[0])
	for i, t := range texts[1:] {
		if t != texts[0] {
			return fmt.Sprintf("%s, but then %s (line %d of %d)", first, cut(t), i+2, len(texts))
		}
	}
	if len(texts) > 1 {
		return fmt.Sprintf("%s (%d times)", first, len(texts))
	}
	return first
}

// cut keeps a difference readable when a line is very long.
func cut(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(text[:most], ""), len(text))
}

// CheckCounts compares the figures of a run. Late is compared only as far as the input determines it.
func (v *Invoice) CheckCounts(got Counts) []Difference {
	want := v.Counts
	var ds []Difference
	if got.Late >= 0 && got.Late <= v.MayBeLate {
		want.Late = got.Late
	}
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range g.NumField() {
		name := g.Type().Field(i).Tag.Get("json")
		engine, oracle := fmt.Sprint(g.Field(i)), fmt.Sprint(w.Field(i))
		if engine == oracle {
			continue
		}
		if name == "late" && v.MayBeLate > 0 {
			oracle = fmt.Sprintf("0 to %d", v.MayBeLate)
		}
		ds = append(ds, Difference{Where: name, Engine: engine, Oracle: oracle})
	}
	return ds
}

// CheckRecords compares the assembled requests, of which no topic is made; tests collect them.
func (v *Invoice) CheckRecords(got []Record) []Difference {
	return compare("record", recordLines(v.Records), recordLines(got), v.Options.Repeats)
}

// CheckUnpriced compares topic unpriced.
func (v *Invoice) CheckUnpriced(got []Record) []Difference {
	return compare("unpriced", recordLines(v.Unpriced), recordLines(got), v.Options.Repeats)
}

func recordLines(records []Record) []line {
	lines := make([]line, len(records))
	for i, r := range records {
		lines[i] = line{r.RequestID, r.String()}
	}
	return lines
}

// CheckOpen compares the request ids with an entry in state "open" at the end of the run.
func (v *Invoice) CheckOpen(ids []string) []Difference {
	lines := func(ids []string) []line {
		out := make([]line, len(ids))
		for i, id := range ids {
			out[i] = line{id, "an entry"}
		}
		return out
	}
	return compare("open", lines(v.Open), lines(ids), false)
}

// CheckDeadLetters compares topic dead-letters: position and bytes, and that the reason names each fault.
func (v *Invoice) CheckDeadLetters(got []DeadLetter) []Difference {
	lines := func(letters []DeadLetter) []line {
		out := make([]line, len(letters))
		for i, d := range letters {
			out[i] = line{fmt.Sprintf("%s/%d/%d", d.Topic, d.Partition, d.Offset), fmt.Sprintf("%q", d.Raw)}
		}
		return out
	}
	want, have := lines(v.DeadLetters), lines(got)
	ds := compare("dead-letters", want, have, v.Options.Repeats)

	right := map[string]DeadLetter{}
	for i, l := range want {
		right[l.id] = v.DeadLetters[i]
	}
	for i, l := range have {
		for _, f := range right[l.id].faults { // none for one that should not be there
			if !strings.Contains(got[i].Reason, f) {
				ds = append(ds, Difference{"dead-letters " + l.id, fmt.Sprintf("reason %q", got[i].Reason), "a reason that names " + f})
			}
		}
	}
	return ds
}
