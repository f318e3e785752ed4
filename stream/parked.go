package stream

// Parked is what a restore brought for states that nobody has declared yet, by the state's name. Every
// backend keeps it until they are, and hands it on in snapshots as it came. The zero value is not
// usable: make one.
type Parked map[string][]ParkedSection

// ParkedSection is one key group's part of a parked state.
type ParkedSection struct {
	Group   int
	Section Section
}

// Add parks a section of a group. Its body must not change afterwards.
func (p Parked) Add(group int, s Section) {
	p[s.Name] = append(p[s.Name], ParkedSection{group, s})
}

// Take loads what is parked for a state that has just been declared, and forgets it.
func (p Parked) Take(state string, load func(group int, s Section) error) error {
	for _, parked := range p[state] {
		if err := load(parked.Group, parked.Section); err != nil {
			return err
		}
	}
	delete(p, state)
	return nil
}

// In is the parked sections of a group, in no order.
func (p Parked) In(group int) (sections []Section) {
	for _, all := range p {
		for _, parked := range all {
			if parked.Group == group {
				sections = append(sections, parked.Section)
			}
		}
	}
	return sections
}

// Keys counts the keys that have something in a parked state.
func (p Parked) Keys(state string) (n int) {
	for _, parked := range p[state] {
		_ = EachContent(parked.Section.Body, func(_, _ []byte) error { n++; return nil })
	}
	return n
}
