package engine

// Probe is told before and after each step of a task, by the names of the crash points (see
// CrashPoint). The simulated driver sets one; the live driver does not.
type probe func(what, uid string, after bool)

// step runs one step of the task under the probe.
func (t *Task) step(what string, f func() error) error {
	if t.probe == nil {
		return f()
	}
	uid := t.head.self().ctx.UID
	t.probe(what, uid, false)
	err := f()
	if err == nil {
		t.probe(what, uid, true)
	}
	return err
}

// killed is what a probe panics with to end the worker in the middle of a step.
type killed struct{}
