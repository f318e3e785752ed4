package replay

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"gatewaymeter/engine"
	"gatewaymeter/oracle"
)

// Way is the way in which a run fails, in a few words: two runs that fail in the same way most likely
// fail for the same reason, whatever their messages. It is empty if the run does not fail.
//
// For a wrong bill it is the topic or count of the first difference, and whether too much or too little
// is billed; for an error, the operator and the error less its numbers and names.
func (o *Outcome) Way() string {
	switch {
	case o.Err != nil:
		return wayOf(o.Err)
	case len(o.Differences) == 0:
		return ""
	}
	where, _, _ := strings.Cut(o.Differences[0].Where, " ")
	switch billed, owed := o.Counts.USDNano, o.Invoice.Counts.USDNano; {
	case billed < owed:
		return where + ": too little is billed"
	case billed > owed:
		return where + ": too much is billed"
	}
	return where + ": the sum is right"
}

// variable is what differs between two errors of one cause: numbers, quoted names, request ids.
var variable = regexp.MustCompile(`"[^"]*"|\br-\d+|\d+`)

func wayOf(err error) string {
	by := ""
	var f *engine.Failure
	if errors.As(err, &f) {
		by, err = fmt.Sprintf(" of operator %q", f.UID), f.Err
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return "error" + by + ": " + variable.ReplaceAllString(text, "…")
}

// First is the first thing that is wrong, on one line.
func (o *Outcome) First() string {
	switch {
	case o.Err != nil:
		text, _, _ := strings.Cut(o.Err.Error(), "\n")
		return text
	case len(o.Differences) > 0:
		return o.Differences[0].String()
	}
	return ""
}

// Explain is what is wrong in full: the first differences side by side, or the error with its stack, if
// the stack is the job's own.
func (o *Outcome) Explain() string {
	var ours *endless
	switch {
	case errors.As(o.Err, &ours):
		return o.First() + "\n"
	case o.Err != nil:
		return o.Err.Error() + "\n"
	}
	return oracle.Table(o.Differences, 5)
}
