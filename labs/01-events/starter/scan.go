package events

import (
	"encoding/json"
	"strconv"
)

// Scanner walks the members of a JSON object, in order:
//
//	s := Scan(value)
//	for s.Next() {
//		name := s.Name()
//		…
//	}
//	err := s.Err()
//
// It is given, because encoding/json is too kind for money: it matches names whatever their case, takes
// the last of two members with the same name, reads null as zero, and mends broken text. It also is
// about four times as fast, and the running product decodes every message with it. A fuzz test holds it
// against encoding/json wherever the two must agree.
type Scanner struct {
	src   []byte
	pos   int    // after what was read last
	name  []byte // of the current member, decoded
	value []byte // of the current member, as it stands
	begun bool
	seen  nameSet
	twice bool
	err   error
}

// Scan starts before the first member of the object that src should be. src must not change meanwhile.
func Scan(src []byte) Scanner { return Scanner{src: src} }

// Next goes to the next member, and reports whether there is one. After false, ask Err.
func (s *Scanner) Next() bool {
	if s.err != nil {
		return false
	}
	first := !s.begun
	if first {
		s.begun = true
		if !s.take('{') {
			return s.fail("it does not start with {")
		}
	}
	if s.take('}') {
		return s.finish()
	}
	if !first && !s.take(',') {
		return s.fail("expected , or }")
	}
	return s.member()
}

// member reads a name, a colon and a value.
func (s *Scanner) member() bool {
	s.space()
	raw, ok := s.skip(1)
	if !ok || raw[0] != '"' {
		return s.fail("expected a member's name")
	}
	if !s.take(':') {
		return s.fail("expected :")
	}
	s.space()
	value, ok := s.skip(1)
	if !ok {
		return s.fail("a member's value is broken")
	}
	s.name, s.value = plain(raw), value
	s.twice = s.seen.add(s.name) || s.twice
	return true
}

// finish checks what follows the object.
func (s *Scanner) finish() bool {
	s.space()
	if s.pos < len(s.src) {
		return s.fail("something follows the object")
	}
	if s.twice {
		s.err = malformed("twice", "two members have the same name")
	}
	return false
}

// Err is why the walk ended before the object did: a *Malformed with the fault "JSON". Else it is one
// with the fault "twice" if two members had the same name, and nil if all is well. Ask it after Next
// has given false.
func (s *Scanner) Err() error { return s.err }

// Name is the current member's name. It is valid until the next call of Next.
func (s *Scanner) Name() []byte { return s.name }

// Text is the current member's value, if it is a string. An escaped half of a surrogate pair reads as
// U+FFFD.
func (s *Scanner) Text() Text {
	if s.value[0] != '"' {
		return Text{State: s.unlike()}
	}
	return Text{State: Good, Value: string(plain(s.value))}
}

// Integer is the current member's value, if it is a number written as digits, with at most a minus sign
// before them, that fits in 64 bits.
func (s *Scanner) Integer() Integer {
	if c := s.value[0]; c != '-' && (c < '0' || c > '9') {
		return Integer{State: s.unlike()}
	}
	n, err := strconv.ParseInt(string(s.value), 10, 64)
	if err != nil {
		return Integer{State: WrongType}
	}
	return Integer{State: Good, Value: n}
}

// Object is a scanner of the current member's value, if that is an object.
func (s *Scanner) Object() (Scanner, State) {
	if s.value[0] != '{' {
		return Scanner{}, s.unlike()
	}
	return Scan(s.value), Good
}

// unlike is the state of a value that is not of the type that was asked for.
func (s *Scanner) unlike() State {
	if s.value[0] == 'n' {
		return Null
	}
	return WrongType
}

func (s *Scanner) fail(why string) bool {
	s.err = malformed("JSON", why+", at byte "+strconv.Itoa(s.pos))
	return false
}

// plain is the text in a JSON string, which is part of src unless it has escapes.
func plain(raw []byte) []byte {
	text := raw[1 : len(raw)-1]
	for _, c := range text {
		if c == '\\' {
			var s string
			if json.Unmarshal(raw, &s) != nil { // skip has read it: it is a JSON string
				return text
			}
			return []byte(s)
		}
	}
	return text
}

// nameSet finds out whether an object has a name twice. Objects have few members as a rule, and then
// comparing costs less than hashing.
type nameSet struct {
	few  [12][]byte
	n    int
	many map[string]bool // once few is full
}

// add reports whether name was there already.
func (s *nameSet) add(name []byte) bool {
	for _, old := range s.few[:s.n] {
		if string(old) == string(name) {
			return true
		}
	}
	if s.n < len(s.few) {
		s.few[s.n] = name
		s.n++
		return false
	}
	if s.many == nil {
		s.many = map[string]bool{}
	}
	again := s.many[string(name)]
	s.many[string(name)] = true
	return again
}
