package lab07_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatewaymeter/internal/kit/suite"
	checkpoints "gatewaymeter/labs/07-checkpoints/starter"
	"gatewaymeter/stream"
)

// Test7f: Restore: by uid, offsets rewound (35 min)
func Test7f(t *testing.T) {
	suite.Exercise(t, "7f", func(t *testing.T) {
		keyed := func(uid string, subtask int) stream.OperatorSnapshot {
			return stream.OperatorSnapshot{UID: uid, Subtask: subtask, Parallelism: 2, MaxGroups: 128, Groups: []stream.GroupSnapshot{{Group: subtask}}}
		}
		offsets := stream.OperatorSnapshot{UID: "source", Parallelism: 1, Lists: []stream.OperatorList{{Name: "splits", Mode: stream.EvenSplit, Elements: [][]byte{{9}}}}}
		silent := stream.OperatorSnapshot{UID: "sink", Parallelism: 1, Lists: []stream.OperatorList{{Name: "n", Mode: stream.EvenSplit, Elements: [][]byte{}}}}
		files := stream.OperatorSnapshot{UID: "big", Parallelism: 1, MaxGroups: 128, Files: []stream.StateFile{{Name: "1.sst"}}}
		checkpoint := func(parts ...stream.OperatorSnapshot) *stream.Checkpoint {
			c := &stream.Checkpoint{ID: 5, Operators: map[string][]stream.OperatorSnapshot{}}
			for _, p := range parts {
				c.Operators[p.UID] = append(c.Operators[p.UID], p)
			}
			return c
		}
		full := checkpoint(keyed("assemble", 0), keyed("assemble", 1), offsets, silent)
		job := []stream.Target{{UID: "sink"}, {UID: "assemble", MaxGroups: 128}, {UID: "source"}, {UID: "new", MaxGroups: 128}}
		for _, c := range []struct {
			name  string
			from  *stream.Checkpoint
			job   []stream.Target
			allow bool
			want  string   // uid×parts
			err   []string // what the error must name; nil: no error
		}{
			{name: "by uid, whatever the order of the graph", from: full, job: job, want: "assemble×2 sink×1 source×1"},
			{name: "an operator without state may be gone", from: full, job: job[1:], want: "assemble×2 source×1"},
			{name: "keyed state that nobody claims", from: full, job: []stream.Target{{UID: "sink"}, {UID: "source"}}, err: []string{"assemble", "--allow-non-restored-state", "5"}},
			{name: "offsets that nobody claims", from: full, job: []stream.Target{{UID: "assemble", MaxGroups: 128}}, err: []string{"source", "--allow-non-restored-state"}},
			{name: "files that nobody claims", from: checkpoint(files), err: []string{"big", "--allow-non-restored-state"}},
			{name: "all of them are named", from: full, err: []string{"assemble", "source"}},
			{name: "dropped, since it was allowed", from: full, job: []stream.Target{{UID: "source"}}, allow: true, want: "source×1"},
			{name: "another number of key groups", from: full, job: []stream.Target{{UID: "source"}, {UID: "assemble", MaxGroups: 256}}, err: []string{"assemble", "128", "256"}},
			{name: "another number of key groups is no state to drop", from: full, job: []stream.Target{{UID: "source"}, {UID: "assemble", MaxGroups: 256}}, allow: true, err: []string{"assemble", "128", "256"}},
			{name: "an empty checkpoint", from: checkpoint(), job: job, want: ""},
		} {
			suite.Sub(t, c.name, func(t *testing.T) {
				got, err := checkpoints.Match(c.from, c.job, c.allow)
				input := fmt.Sprintf("checkpoint 5 with %s; job %+v; --allow-non-restored-state %v", printMatch(c.from.Operators), c.job, c.allow)
				if c.err == nil {
					suite.NoError(t, err, "the state finds its operators")
					suite.Equal(t, c.want, printMatch(got), suite.Failure{Says: "this is not what each operator of the job gets", Input: input})
					return
				}
				for _, name := range c.err {
					if err == nil || !strings.Contains(err.Error(), name) {
						suite.Wrong(t, suite.Failure{Says: "state would be lost in silence, or the error does not say what to do", Input: input, Got: fmt.Sprint(err), Want: fmt.Sprintf("an error that names %q", c.err)})
					}
				}
			})
		}
	})
}

func printMatch(m map[string][]stream.OperatorSnapshot) string {
	var parts []string
	for uid, of := range m {
		parts = append(parts, fmt.Sprintf("%s×%d", uid, len(of)))
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}
