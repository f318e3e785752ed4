package lab02_test

import (
	"fmt"
	"testing"

	"gatewaymeter/internal/kit/suite"
	keying "gatewaymeter/labs/02-keying/starter"
	"gatewaymeter/stream"
)

// item is a record's value: the group it belongs to, and its place in the input.
type item struct{ group, place int }

func (v item) String() string { return fmt.Sprintf("#%d of group %d", v.place, v.group) }

func groupOf(v item) int { return v.group }

// items makes records of the given groups, in that order, 10 ms apart.
func items(groups ...int) []stream.Record[item] {
	in := make([]stream.Record[item], len(groups))
	for i, g := range groups {
		in[i] = stream.Record[item]{Value: item{g, i}, Time: stream.Time(1000 + 10*i)}
	}
	return in
}

func batches(n int) []*stream.Batch[item] {
	out := make([]*stream.Batch[item], n)
	for i := range out {
		out[i] = &stream.Batch[item]{}
	}
	return out
}

// expect is what each batch must hold.
func expect(in []stream.Record[item], owner []int, subtasks int) [][]stream.Record[item] {
	want := make([][]stream.Record[item], subtasks)
	for _, r := range in {
		r.Group = uint16(r.Value.group)
		want[owner[r.Value.group]] = append(want[owner[r.Value.group]], r)
	}
	return want
}

// Test2a: Exchange: a batch to its subtasks, order per key kept (30 min)
func Test2a(t *testing.T) {
	suite.Exercise(t, "2a", func(t *testing.T) {
		owner := []int{0, 0, 1, 1, 2, 2}
		suite.Sub(t, "each record goes to the owner of its group", func(t *testing.T) {
			in := items(0, 5, 2, 2, 3, 0, 4, 1, 5, 0)
			splits(t, owner, in, "the batch of this subtask is not the records of its groups, in their order")
		})
		suite.Sub(t, "the owner is looked up, not computed", func(t *testing.T) {
			splits(t, []int{2, 0, 1, 0, 2, 1}, items(0, 1, 2, 3, 4, 5, 0, 1, 2), "owner says which subtask owns a group; it need not be the one that you would compute")
		})
		suite.Sub(t, "the highest group there is", func(t *testing.T) {
			owner := make([]int, 32768)
			owner[32767] = 1
			splits(t, owner, items(32767, 0, 32767), "group 32767 is a group like any other")
		})
		suite.Sub(t, "records are added behind those that are there", func(t *testing.T) {
			x := keying.NewExchange(groupOf, owner)
			out := batches(3)
			first, second := items(0, 2, 0), items(0, 0, 4)
			x.Split(first, out)
			x.Split(second, out)
			want := expect(append(first, second...), owner, 3)
			for subtask, b := range out {
				suite.Equal(t, fmt.Sprint(want[subtask]), fmt.Sprint(b.Records), suite.Failure{
					Says: fmt.Sprintf("after two calls, batch %d does not hold both calls' records", subtask),
				})
			}
		})
		suite.Sub(t, "nothing to send, nothing sent", func(t *testing.T) {
			splits(t, owner, nil, "an empty input leaves the batches as they are")
		})
		suite.Sub(t, "what was sent is not the sender's any more", keepsNothing)
		suite.Sub(t, "the key is hashed once a record", func(t *testing.T) {
			calls := 0
			x := keying.NewExchange(func(v item) int { calls++; return v.group }, owner)
			x.Split(items(0, 1, 2, 3), batches(3))
			suite.Equal(t, 4, calls, suite.Failure{Says: "groupOf must be called once for each of the 4 records: hashing is most of what an exchange costs"})
		})
		suite.Sub(t, "no memory for each record", func(t *testing.T) {
			x := keying.NewExchange(groupOf, owner)
			in, out := items(0, 1, 2, 3, 4, 5), batches(3)
			x.Split(in, out)
			allocations := testing.AllocsPerRun(100, func() {
				for _, b := range out {
					b.Records = b.Records[:0]
				}
				x.Split(in, out)
			})
			suite.Equal(t, 0.0, allocations, suite.Failure{Says: "Split allocates although the batches have room: that is paid at every record of the job"})
		})
	})
}

// splits checks one call on empty batches.
func splits(t *testing.T, owner []int, in []stream.Record[item], says string) {
	t.Helper()
	subtasks := 0
	for _, s := range owner {
		subtasks = max(subtasks, s+1)
	}
	out := batches(subtasks)
	keying.NewExchange(groupOf, owner).Split(in, out)
	want := expect(in, owner, subtasks)
	for subtask, b := range out {
		suite.Equal(t, fmt.Sprint(want[subtask]), fmt.Sprint(b.Records), suite.Failure{
			Says: says, Input: fmt.Sprintf("%v, subtask %d", in, subtask),
		})
		suite.Equal(t, stream.Control{}, b.Control, suite.Failure{Says: "the exchange deals out records; control elements are not its business"})
	}
}

func keepsNothing(t *testing.T) {
	owner := []int{0, 1}
	x := keying.NewExchange(groupOf, owner)
	in, out := items(0, 1, 0), batches(2)
	x.Split(in, out)
	for i := range in { // the sender fills its buffer anew
		in[i] = stream.Record[item]{Value: item{1, 77}}
	}
	suite.Equal(t, item{0, 0}, out[0].Records[0].Value, suite.Failure{Says: "a record changed when the sender used its buffer again"})

	others := batches(2)
	x.Split(items(1), others)
	suite.Equal(t, 2, len(out[0].Records)*len(out[1].Records), suite.Failure{
		Says: "records of the second call went into the first call's batches, which are with their receivers by now",
	})
	suite.Equal(t, 1, len(others[1].Records), suite.Failure{Says: "the second call's record is not in the batch that it was given"})
}
