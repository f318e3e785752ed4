package timers

import (
	"cmp"

	"gatewaymeter/stream"
)

// timer is one registered timer. It stands in two places at once: in the set of its key, and in the
// queue of the subtask, where it knows its place.
type timer struct {
	at     stream.Time
	window stream.Window
	group  int
	key    string
	place  int // index in the queue
}

// compare orders timers as they fire. The time alone would do for Flink; the rest makes the order of a
// run the same every time, also after a restore.
func (t *timer) compare(o *timer) int {
	return cmp.Or(
		cmp.Compare(t.at, o.at),
		cmp.Compare(t.group, o.group),
		cmp.Compare(t.key, o.key),
		t.window.Compare(o.window),
	)
}

// queue is a binary heap of all timers of a subtask, the next one first. Since each timer knows its
// place, one in the middle can be taken out in logarithmic time. Its cost is a few exchanges of
// neighbours, so what they are compared by first stands in the array itself.
type queue []queued

type queued struct {
	at stream.Time // of t
	t  *timer
}

// push puts a timer in.
func (q *queue) push(t *timer) {
	*q = append(*q, queued{t.at, t})
	q.up(len(*q) - 1)
}

// remove takes a timer out.
func (q *queue) remove(t *timer) {
	i, last := t.place, len(*q)-1
	moved := (*q)[last]
	(*q)[last] = queued{}
	*q = (*q)[:last]
	if i == last {
		return
	}
	q.set(i, moved)
	q.down(i)
	q.up(moved.t.place)
}

// next is the first timer, or nil.
func (q queue) next() *timer {
	if len(q) == 0 {
		return nil
	}
	return q[0].t
}

// order makes a heap of timers that were appended in any order, in linear time.
func (q queue) order() {
	for i := range q {
		q[i].t.place = i
	}
	for i := len(q)/2 - 1; i >= 0; i-- {
		q.down(i)
	}
}

// less costs one comparison of numbers, unless the times are equal.
func (q queue) less(a, b queued) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	return a.t.compare(b.t) < 0
}

func (q queue) set(i int, e queued) {
	q[i] = e
	e.t.place = i
}

// up moves the element at i towards the front, past all that come after it.
func (q queue) up(i int) {
	e := q[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !q.less(e, q[parent]) {
			break
		}
		q.set(i, q[parent])
		i = parent
	}
	q.set(i, e)
}

// down moves the element at i towards the end, past all that come before it.
func (q queue) down(i int) {
	e := q[i]
	for {
		child := 2*i + 1
		if child >= len(q) {
			break
		}
		if child+1 < len(q) && q.less(q[child+1], q[child]) {
			child++
		}
		if !q.less(q[child], e) {
			break
		}
		q.set(i, q[child])
		i = child
	}
	q.set(i, e)
}
