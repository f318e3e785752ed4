package events

// maxDepth is how deep objects and arrays may nest, as in encoding/json.
const maxDepth = 10_000

// space skips white space.
func (s *Scanner) space() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

// take skips white space and then c, and reports whether c stood there.
func (s *Scanner) take(c byte) bool {
	s.space()
	if s.pos < len(s.src) && s.src[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

// skip reads one value of any type, which starts at pos and lies inside depth objects and arrays, and
// returns its bytes.
func (s *Scanner) skip(depth int) ([]byte, bool) {
	from := s.pos
	if from == len(s.src) {
		return nil, false
	}
	ok := false
	switch c := s.src[from]; {
	case c == '"':
		ok = s.skipString()
	case c == '-' || digit(c):
		ok = s.skipNumber()
	case c == 't':
		ok = s.skipWord("true")
	case c == 'f':
		ok = s.skipWord("false")
	case c == 'n':
		ok = s.skipWord("null")
	case depth == maxDepth:
	case c == '{':
		ok = s.skipMany('}', depth+1)
	case c == '[':
		ok = s.skipMany(']', depth+1)
	}
	return s.src[from:s.pos], ok
}

// skipMany reads the rest of an object or array, up to its closing bracket.
func (s *Scanner) skipMany(closing byte, depth int) bool {
	s.pos++
	if s.take(closing) {
		return true
	}
	for {
		s.space()
		item, ok := s.skip(depth)
		if !ok {
			return false
		}
		if closing == '}' {
			if item[0] != '"' || !s.take(':') {
				return false
			}
			s.space()
			if _, ok := s.skip(depth); !ok {
				return false
			}
		}
		if s.take(closing) {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

func (s *Scanner) skipString() bool {
	for i := s.pos + 1; i < len(s.src); i++ {
		switch c := s.src[i]; {
		case c == '"':
			s.pos = i + 1
			return true
		case c < ' ':
			return false
		case c == '\\':
			n := escape(s.src[i+1:])
			if n == 0 {
				return false
			}
			i += n
		}
	}
	return false
}

// escape is how many bytes belong to the escape that follows a backslash; 0 if it is none.
func escape(rest []byte) int {
	if len(rest) == 0 {
		return 0
	}
	switch rest[0] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 1
	case 'u':
		if len(rest) < 5 {
			return 0
		}
		for _, c := range rest[1:5] {
			if !digit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
				return 0
			}
		}
		return 5
	}
	return 0
}

// skipNumber reads -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
func (s *Scanner) skipNumber() bool {
	s.maybe("-")
	if !s.maybe("0") && !s.digits() {
		return false
	}
	if s.maybe(".") && !s.digits() {
		return false
	}
	if s.maybe("eE") {
		s.maybe("+-")
		return s.digits()
	}
	return true
}

// maybe skips one byte if it is one of the set.
func (s *Scanner) maybe(set string) bool {
	if s.pos == len(s.src) {
		return false
	}
	for i := range len(set) {
		if s.src[s.pos] == set[i] {
			s.pos++
			return true
		}
	}
	return false
}

// digits skips digits, and reports whether there was one.
func (s *Scanner) digits() bool {
	from := s.pos
	for s.pos < len(s.src) && digit(s.src[s.pos]) {
		s.pos++
	}
	return s.pos > from
}

func (s *Scanner) skipWord(word string) bool {
	end := s.pos + len(word)
	if end > len(s.src) || string(s.src[s.pos:end]) != word {
		return false
	}
	s.pos = end
	return true
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
