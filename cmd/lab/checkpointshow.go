package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"gatewaymeter/internal/anatomy"
	"gatewaymeter/stream"
)

// showCheckpoint prints one checkpoint for a reader.
func showCheckpoint(out io.Writer, c anatomy.Checkpoint) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "checkpoint %d: %s\n", c.ID, verdictOf(c))
	for _, p := range c.Problems {
		fmt.Fprintf(w, "  %s\n", p)
	}
	if c.Job == "" { // nobody knows more of it
		return w.Flush()
	}
	fmt.Fprintf(w, "job %s, %s %s UTC (%s ago)\n", c.Job, map[bool]string{false: "taken", true: "savepoint, taken"}[c.Savepoint],
		time.UnixMilli(c.Created).UTC().Format("2006-01-02 15:04:05"), age(c.Age))
	fmt.Fprintf(w, "%s in %d files, %s of it shared with older checkpoints\n", bytesOf(c.Size), len(c.Files), bytesOf(c.Shared))
	for _, section := range []func(io.Writer, anatomy.Checkpoint){operatorLines, stateLines, timerLines, listLines, offsetLines, fileLines} {
		section(w, c)
		if err := w.Flush(); err != nil { // each table has columns of its own
			return err
		}
	}
	return nil
}

// verdictOf says what a checkpoint is good for.
func verdictOf(c anatomy.Checkpoint) string {
	switch {
	case c.Taken:
		return "whole, and the one that --restore takes"
	case c.Status == anatomy.Whole:
		return fmt.Sprintf("whole; --restore takes checkpoint %d, which is newer", c.Restore)
	case c.Restore == 0:
		return string(c.Status) + "; there is none that --restore could take"
	}
	return fmt.Sprintf("%s; --restore takes checkpoint %d", c.Status, c.Restore)
}

func operatorLines(w io.Writer, c anatomy.Checkpoint) {
	fmt.Fprintln(w, "\nOPERATOR (UID)\tPARALLELISM\tMAX\tKEY GROUPS")
	for _, o := range c.Operators {
		limit, groups := "-", "-"
		if o.MaxGroups > 0 {
			limit, groups = fmt.Sprint(o.MaxGroups), ranges(o.Ranges)
		}
		unread := ""
		if o.Unread > 0 {
			unread = fmt.Sprintf("\t%d of %d subtasks cannot be read", o.Unread, o.Parallelism)
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s%s\n", o.UID, o.Parallelism, limit, groups, unread)
	}
}

// ranges writes key-group ranges; many are cut short, since each follows the one before.
func ranges(all [][2]int) string {
	const shown = 6
	var some []string
	for i, r := range all {
		if i == shown-1 && len(all) > shown {
			return strings.Join(some, " ") + fmt.Sprintf(" … %d-%d", all[len(all)-1][0], all[len(all)-1][1])
		}
		some = append(some, fmt.Sprintf("%d-%d", r[0], r[1]))
	}
	return strings.Join(some, " ")
}

func stateLines(w io.Writer, c anatomy.Checkpoint) {
	fmt.Fprintln(w, "\nKEYED STATE\tKIND\tENTRIES\tBY KEY GROUP (MIN/MEDIAN/MAX)\tSIZE\tAN ENTRY GOES")
	for _, o := range c.Operators {
		for _, s := range o.States {
			fmt.Fprintf(w, "%s/%s\t%s of %s\t%d\t%d/%d/%d\t%s\t%s\n", o.UID, s.Name, s.Kind, s.Type, s.Entries, s.Min, s.Median, s.Max, bytesOf(s.Bytes), removal(s))
		}
	}
	for _, o := range c.Operators {
		for _, s := range o.States {
			groupLines(w, o.UID+"/"+s.Name, s.Groups)
		}
	}
}

// groupLines lists the key groups of a state that have entries.
func groupLines(w io.Writer, state string, groups []int) {
	if groups == nil {
		return
	}
	var cells []string
	for g, n := range groups {
		if n > 0 {
			cells = append(cells, fmt.Sprintf("%d:%d", g, n))
		}
	}
	fmt.Fprintf(w, "\n%s, entries by key group (those without are left out):\n", state)
	const inLine = 12
	for len(cells) > 0 {
		n := min(inLine, len(cells))
		fmt.Fprintf(w, "  %s\n", strings.Join(cells[:n], " "))
		cells = cells[n:]
	}
}

// removal says how an entry of a state goes, and when the checkpoint shows that some do not.
func removal(s anatomy.State) string {
	words := map[stream.Removal]string{
		stream.ByElement: "by a later element of its key", stream.ByTimer: "by a timer",
		stream.ByTTL: fmt.Sprintf("by TTL after %v", time.Duration(s.TTLMS)*time.Millisecond), stream.Never: "never",
	}
	var ways []string
	for _, r := range s.Removed {
		ways = append(ways, words[r])
	}
	said := strings.Join(ways, " or ")
	if said == "" {
		said = "it does not say (stream.RemovedBy)"
	}
	if s.Untimed > 0 {
		said += fmt.Sprintf("; without a timer: %d", s.Untimed)
	}
	return said
}

func timerLines(w io.Writer, c anatomy.Checkpoint) {
	fmt.Fprintln(w, "\nTIMERS\tDOMAIN\tTIMERS\tKEYS\tEARLIEST\tLATEST")
	for _, o := range c.Operators {
		for _, t := range o.Timers {
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%v\t%v\n", o.UID, t.Domain, t.Count, t.Keys, t.First, t.Last)
		}
	}
}

func listLines(w io.Writer, c anatomy.Checkpoint) {
	fmt.Fprintln(w, "\nOPERATOR STATE\tDEALT OUT\tELEMENTS\tSIZE")
	for _, o := range c.Operators {
		for _, l := range o.Lists {
			fmt.Fprintf(w, "%s/%s\t%s\t%d\t%s\n", o.UID, l.Name, l.Mode, l.Elements, bytesOf(l.Bytes))
		}
	}
}

func offsetLines(w io.Writer, c anatomy.Checkpoint) {
	fmt.Fprintln(w, "\nPARTITION\tREAD ON AT\tUP TO")
	for _, o := range c.Offsets {
		fmt.Fprintf(w, "%s/%d\t%d\t%d\n", o.Topic, o.Partition, o.Next, o.Stop)
	}
}

func fileLines(w io.Writer, c anatomy.Checkpoint) {
	fmt.Fprintln(w, "\nFILE\tSIZE\tCHECKSUM\tAS WRITTEN")
	for _, f := range c.Files {
		verdict := "yes"
		if f.Problem != "" {
			verdict = "NO"
		}
		if f.Shared {
			verdict += ", shared"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", f.Path, bytesOf(f.Size), f.Checksum, verdict)
	}
}

// age rounds a number of milliseconds for a reader.
func age(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int64(d.Hours())/24)
	case d >= time.Minute:
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	return d.Round(100 * time.Millisecond).String()
}

// bytesOf writes a size with three digits or so.
func bytesOf(n int64) string {
	units := []string{"kB", "MB", "GB", "TB"}
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	size := float64(n)
	for i, unit := range units {
		if size /= 1000; size < 999.95 || i == len(units)-1 {
			return fmt.Sprintf("%.1f %s", size, unit)
		}
	}
	return ""
}
