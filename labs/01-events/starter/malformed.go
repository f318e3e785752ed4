package events

import "strings"

// Fault is one thing that is wrong with a message: the name of a field, such as "payload.status", or
// one of "UTF-8", "JSON", "twice" (the whole value) and "key" (the message's key), and why.
type Fault struct{ Name, Why string }

func (f Fault) String() string { return f.Name + ": " + f.Why }

// Malformed is the error of a message that is no event, with all its faults.
type Malformed struct{ Faults []Fault }

// Error names every fault. It shows nothing of the message itself, which may be long, secret or broken;
// the dead letter has the bytes.
func (e *Malformed) Error() string {
	var b strings.Builder
	b.WriteString("malformed message: ")
	for i, f := range e.Faults {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(f.String())
	}
	return b.String()
}

// malformed is the error of a message with a single fault.
func malformed(name, why string) error {
	return &Malformed{Faults: []Fault{{Name: name, Why: why}}}
}
