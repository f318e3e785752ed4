package checkpoints

import (
	"fmt"
	"slices"

	"gatewaymeter/stream"
)

// Match finds, in a checkpoint, the state of each operator of a job: by uid, whatever the graph looks
// like now (Flink: StateAssignmentOperation).
//
// State of the checkpoint that no operator of the job claims is an error that names the operators and
// --allow-non-restored-state, which drops it; an operator that had no state may be missing. A job with
// another number of key groups cannot take keyed state over, since every key would be elsewhere. An
// operator that the checkpoint does not know starts empty and is not in the result.
func Match(c *stream.Checkpoint, job []stream.Target, allowNonRestored bool) (map[string][]stream.OperatorSnapshot, error) {
	//lab:begin 7f
	found := map[string][]stream.OperatorSnapshot{}
	for _, target := range job {
		parts, known := c.Operators[target.UID]
		if !known {
			continue
		}
		for _, p := range parts {
			if p.MaxGroups != 0 && p.MaxGroups != target.MaxGroups {
				return nil, fmt.Errorf("checkpoint %d: operator %q was stored with %d key groups and the job has %d: keep the number, or start from nothing",
					c.ID, target.UID, p.MaxGroups, target.MaxGroups)
			}
		}
		found[target.UID] = parts
	}
	if lost := unclaimed(c, found); len(lost) > 0 && !allowNonRestored {
		return nil, fmt.Errorf("checkpoint %d holds state of %q, which the job has no operator for: give the operator its old uid back, or drop the state with --allow-non-restored-state",
			c.ID, lost)
	}
	return found, nil
	//lab:end
}

//lab:begin 7f

// unclaimed lists the operators of a checkpoint that have state and are not found, ascending.
func unclaimed(c *stream.Checkpoint, found map[string][]stream.OperatorSnapshot) (uids []string) {
	for uid, parts := range c.Operators {
		if _, ok := found[uid]; !ok && slices.ContainsFunc(parts, hasState) {
			uids = append(uids, uid)
		}
	}
	slices.Sort(uids)
	return uids
}

func hasState(s stream.OperatorSnapshot) bool {
	return len(s.Groups) > 0 || len(s.Files) > 0 || slices.ContainsFunc(s.Lists, func(l stream.OperatorList) bool { return len(l.Elements) > 0 })
}

//lab:end
