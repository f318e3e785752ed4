package anatomy

import (
	"fmt"
	"slices"

	timers "gatewaymeter/labs/06-timers/solution"
	"gatewaymeter/stream"
)

// tally counts the entries of an operator's keyed states, and its timers.
type tally struct {
	max      int // key groups
	order    []string
	of       map[string]*State
	perGroup map[string][]int // entries by key group
	clocks   [2]Timers        // by domain
}

func newTally(max int) *tally {
	return &tally{max: max, of: map[string]*State{}, perGroup: map[string][]int{}, clocks: [2]Timers{
		{Domain: stream.EventTime.String()}, {Domain: stream.ProcessingTime.String()},
	}}
}

// declare takes in what states say of themselves.
func (t *tally) declare(infos []stream.StateInfo) {
	for _, info := range infos {
		s := t.state(info.Name)
		s.Kind, s.Type, s.TTLMS, s.Removed = info.Kind, info.Type, info.TTLMS, info.Removed
	}
}

func (t *tally) state(name string) *State {
	s := t.of[name]
	if s == nil {
		s = &State{Name: name, Removed: []stream.Removal{}}
		t.of[name], t.perGroup[name] = s, make([]int, t.max)
		t.order = append(t.order, name)
	}
	return s
}

// add counts what is in some key groups.
func (t *tally) add(groups []stream.GroupSnapshot) error {
	for _, g := range groups {
		if g.Group < 0 || g.Group >= t.max {
			return fmt.Errorf("key group %d of %d", g.Group, t.max)
		}
		if err := t.group(g); err != nil {
			return fmt.Errorf("key group %d: %w", g.Group, err)
		}
	}
	return nil
}

func (t *tally) group(g stream.GroupSnapshot) error {
	timed := map[string]bool{} // keys of the group that have a timer
	err := stream.EachSection(g.Bytes, func(s stream.Section) error {
		for domain := range t.clocks {
			if s.Name == timers.StateName(stream.Domain(domain)) {
				return t.timersIn(&t.clocks[domain], s.Body, timed)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return stream.EachSection(g.Bytes, func(s stream.Section) error {
		if s.Name == timers.StateName(stream.EventTime) || s.Name == timers.StateName(stream.ProcessingTime) {
			return nil
		}
		return t.entries(g.Group, s, timed)
	})
}

// timersIn counts the timers of a section.
func (t *tally) timersIn(to *Timers, body []byte, timed map[string]bool) error {
	return stream.EachContent(body, func(key, content []byte) error {
		set, err := timers.Stored(content)
		if err != nil || len(set) == 0 {
			return err
		}
		timed[string(key)] = true
		if to.Count == 0 {
			to.First, to.Last = set[0].At, set[0].At
		}
		to.Keys++
		to.Count += len(set)
		to.First, to.Last = min(to.First, set[0].At), max(to.Last, set[len(set)-1].At)
		return nil
	})
}

// entries counts the entries of a section.
func (t *tally) entries(group int, s stream.Section, timed map[string]bool) error {
	state := t.state(s.Name)
	state.Kind, state.Type = s.Kind.String(), s.Type
	state.Bytes += int64(len(s.Body))
	byTimer := slices.Contains(state.Removed, stream.ByTimer)
	return stream.EachContent(s.Body, func(key, _ []byte) error {
		state.Entries++
		t.perGroup[s.Name][group]++
		if byTimer && !timed[string(key)] {
			state.Untimed++
		}
		return nil
	})
}

// states are the states, in the order of their declaration, with their spread over the key groups.
func (t *tally) states(groups bool) (all []State) {
	for _, name := range t.order {
		s, per := *t.of[name], t.perGroup[name]
		if groups {
			s.Groups = slices.Clone(per)
		}
		if len(per) > 0 {
			slices.Sort(per)
			s.Min, s.Median, s.Max = per[0], per[len(per)/2], per[len(per)-1]
		}
		all = append(all, s)
	}
	return all
}

// timers are the domains that have any.
func (t *tally) timers() (some []Timers) {
	for _, c := range t.clocks {
		if c.Count > 0 {
			some = append(some, c)
		}
	}
	return some
}
