package engine

import (
	"fmt"
	"log/slog"
)

// generatedUID is the name of an operator that was given none: its place in the graph, as good as any as
// long as the graph stays as it is (Flink: a hash of the same).
func generatedUID(place int, kind string) string { return fmt.Sprintf("auto-%d-%s", place, kind) }

// warnOfUIDs says, once for each, which operators of opened tasks have state and no uid of their own. An
// operator that comes or goes before them moves their place, and with it their state to nobody, or to
// another. first is the first task of each operator.
func (j *Job) warnOfUIDs(vertices []*vertex, tasks []*Task, first map[*node]int) {
	for _, v := range vertices {
		for i, n := range v.chain {
			if !n.generated || !stateful(n, tasks[first[n]].chain[i]) {
				continue
			}
			if _, said := j.warned.LoadOrStore(n.uid, true); said {
				continue
			}
			warn := j.Warn
			if warn == nil {
				warn = func(message string) { slog.Warn(message) }
			}
			warn(fmt.Sprintf("operator %q of job %q (%s%s) has state and no uid: it is known by its place in the graph, and its state is lost when that changes."+
				" Give it a uid where it is built, and keep it", n.uid, j.Name, n.kind, n.behind()))
		}
	}
}

// stateful reports whether an operator has something in a checkpoint: whatever is keyed may have timers,
// and others have what they declared.
func stateful(n *node, o operator) bool {
	if n.keyed {
		return true
	}
	store := o.self().ctx.Operator
	if store == nil {
		return false
	}
	lists, err := store.Snapshot()
	return err == nil && len(lists) > 0
}

// behind names what an operator reads, for whoever looks for one without a name.
func (n *node) behind() string {
	if len(n.inputs) == 0 {
		return ""
	}
	return fmt.Sprintf(", behind %q", n.inputs[0].from.uid)
}
