package operators

import "gatewaymeter/stream"

var _ stream.Sweeper = (*heap)(nil)

// sweepHand is where a state's sweep stands: a group, and those of its keys that are still to be seen.
type sweepHand struct {
	group int
	keys  []keyed
	next  int // the index of the group after it
}

// Sweep looks at the next n keys, round and round over the groups, and removes of a state what
// expired says: see stream.Sweeper, and table.turn for the way round. A key that is gone since the hand
// took it is not counted. A state without keys costs nothing.
func (h *heap) Sweep(state string, n int, expired func(v any) bool) {
	//lab:begin 3h
	t, ok := h.byName[state]
	for ok && n > 0 && t.keys > 0 {
		group, k, ok := t.turn()
		if !ok {
			return
		}
		if h.keysOf(group)[k.key] == k.d { // not removed since the hand saw it
			t.sweep(group, k, expired)
			n--
		}
	}
	//lab:end
}

// turn moves the hand on by one key, and gives the key and its group. It has seen all keys of a group
// before it goes to the next, and after the last group comes the first. It says no after a full round
// of empty groups. A key that it gives may have been removed since the hand took the group's list.
func (t *table) turn() (group int, k keyed, ok bool) {
	//lab:begin 3h
	for range len(t.h.groups) + 1 {
		if n := len(t.hand.keys); n > 0 {
			k, t.hand.keys = t.hand.keys[0], t.hand.keys[1:]
			return t.hand.group, k, true
		}
		t.hand.group = t.h.first + t.hand.next
		t.hand.keys = t.h.sorted(t.hand.group)
		t.hand.next = (t.hand.next + 1) % len(t.h.groups)
	}
	return 0, keyed{}, false
	//lab:end
}

// sweep removes what has expired of one key's content. (Given.)
func (t *table) sweep(group int, k keyed, expired func(v any) bool) {
	content := t.in(k.d)
	gone := content != nil
	switch c := content.(type) {
	case nil:
	case *list:
		var kept []any
		for _, e := range c.elements {
			if !expired(e) {
				kept = append(kept, e)
			}
		}
		if gone = len(kept) == 0; gone {
			c.reset()
		} else if len(kept) < len(c.elements) {
			c.elements = kept
		}
	case *entries:
		for _, e := range c.sorted(nil) {
			if expired(e.value) {
				c.remove([]byte(e.key))
			}
		}
		if gone = c.len() == 0; gone {
			c.reset()
		}
	default:
		gone = expired(content)
	}
	if gone {
		t.empty(group, k.key, k.d)
	}
}
