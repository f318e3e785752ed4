package engine

// Result is what a job had come to when it ended.
type Result struct {
	Counters map[string]int64 // by "uid/name", over all subtasks
	Entries  map[string]int   // keyed state left, by "uid/state"
	Timers   int              // timers left, of all operators
	Tasks    []Metrics
}

func newResult(tasks []*Task) *Result {
	r := &Result{Counters: map[string]int64{}, Entries: map[string]int{}}
	for _, t := range tasks {
		m := t.Metrics()
		m.Task, m.Subtask = t.Name, t.Subtask
		for name, n := range m.Counters {
			r.Counters[name] += n
		}
		for state, n := range m.Entries {
			r.Entries[state] += n
		}
		r.Timers += m.Timers
		r.Tasks = append(r.Tasks, m)
	}
	return r
}
