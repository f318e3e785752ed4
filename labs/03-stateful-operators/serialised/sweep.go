package serialised

import "gatewaymeter/stream"

var _ stream.Sweeper = (*backend)(nil)

// sweepHand is where a state's sweep stands.
type sweepHand struct {
	group int    // counted from the first
	row   []byte // where to go on in it; nil: at its beginning
}

// Sweep asks for a look at the next n keys of a state. Here it is put off to the next Flush, and all
// that were asked for are looked at in one walk: a walk's start costs more than many of its steps.
func (b *backend) Sweep(state string, n int, expired func(v any) bool) {
	if t, ok := b.byName[state]; ok && !t.d.Live {
		t.due, t.stale = t.due+n, expired
	}
}

// sweep does what is due.
func (t *table) sweep() error {
	due := min(t.due, t.keys)
	t.due = 0
	if due == 0 {
		return nil
	}
	oldGroup, oldKey := t.b.group, t.b.key
	defer func() { t.b.SetKey(oldGroup, oldKey) }()
	groups := t.b.last - t.b.first + 1
	for range groups + 1 { // the first group may come twice: its end, and its beginning
		group := t.b.first + t.hand.group
		next, err := t.walk(group, t.hand.row, func(c content) (bool, error) {
			due--
			t.b.SetKey(group, c.key)
			return due > 0, t.drop(c)
		})
		if err != nil {
			return err
		}
		if t.hand.row = next; next == nil {
			t.hand.group = (t.hand.group + 1) % groups
		}
		if due <= 0 {
			break
		}
	}
	return nil
}

// drop removes what has expired of the current key's content.
func (t *table) drop(c content) error {
	var kept []any
	for i, value := range c.values {
		v := t.d.New()
		if err := t.decode(value, v); err != nil {
			return err
		}
		if !t.stale(v) {
			kept = append(kept, v)
		} else if m, ok := t.cell.(*mapCell); ok {
			m.Remove(c.names[i])
		}
	}
	switch cell := t.cell.(type) {
	case *mapCell:
	case *listCell:
		if len(kept) < len(c.values) {
			cell.Update(kept)
		}
	default:
		if len(kept) == 0 {
			cell.Clear()
		}
	}
	return nil
}
