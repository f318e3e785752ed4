package stream

import "fmt"

// Section is one state of one key group as Backend.Snapshot writes it. All backends share this
// form, so that what one wrote another can restore. A group is its sections by ascending name.
type Section struct {
	Name string
	Type string // the Go type of an element, checked on restore
	Kind Kind
	Body []byte // the keys that have something in the state, ascending: see AppendContent
}

// AppendSection writes a section.
func AppendSection(dst []byte, s Section) []byte {
	dst = AppendString(dst, s.Name)
	dst = AppendString(dst, s.Type)
	dst = append(dst, byte(s.Kind))
	return AppendBytes(dst, s.Body)
}

// EachSection reads the sections of a group. Bodies point into src.
func EachSection(src []byte, f func(s Section) error) error {
	for w := NewWire(src); w.More(); {
		s := Section{Name: w.Str(), Type: w.Str(), Kind: Kind(w.Byte()), Body: w.Bytes()}
		if err := w.Err(); err != nil {
			return fmt.Errorf("a key group's sections, after state %q: %w", s.Name, err)
		}
		if err := f(s); err != nil {
			return err
		}
	}
	return nil
}

// Accepts says whether a state declared as d can take the section over, and what differs if not.
func (s Section) Accepts(d Descriptor) error {
	if s.Type == d.Type && s.Kind == d.Kind {
		return nil
	}
	return fmt.Errorf("state %q was stored as a %v state of %s and is now declared as a %v state of %s: restore with the old type, or give the new state another name",
		s.Name, s.Kind, s.Type, d.Kind, d.Type)
}

// AppendContent writes what one key has in a state. The form of content hangs on the kind: a value
// or an accumulator is its codec's bytes; a list is its elements' bytes, each behind its length; a
// map is its entries, keys ascending, key and value each behind their length.
func AppendContent(dst []byte, key string, content []byte) []byte {
	return AppendBytes(AppendString(dst, key), content)
}

// EachContent reads a section's body. Key and content point into body.
func EachContent(body []byte, f func(key, content []byte) error) error {
	for w := NewWire(body); w.More(); {
		key, content := w.Bytes(), w.Bytes()
		if err := w.Err(); err != nil {
			return err
		}
		if err := f(key, content); err != nil {
			return fmt.Errorf("key %q: %w", key, err)
		}
	}
	return nil
}
