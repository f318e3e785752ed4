package generator

// queue is a heap of things by the time at which they reach the log; of equal times the first in comes
// first out. container/heap would box each of them.
type queue[T any] struct {
	items []queued[T]
	count uint64
}

type queued[T any] struct {
	at    int64
	order uint64
	what  T
}

func (a queued[T]) before(b queued[T]) bool {
	return a.at < b.at || a.at == b.at && a.order < b.order
}

func (q *queue[T]) empty() bool { return len(q.items) == 0 }

// first is the time of the next thing. The queue is not empty.
func (q *queue[T]) first() int64 { return q.items[0].at }

func (q *queue[T]) push(at int64, what T) {
	q.items = append(q.items, queued[T]{at, q.count, what})
	q.count++
	for i := len(q.items) - 1; i > 0; {
		up := (i - 1) / 2
		if !q.items[i].before(q.items[up]) {
			return
		}
		q.items[i], q.items[up] = q.items[up], q.items[i]
		i = up
	}
}

func (q *queue[T]) pop() (at int64, what T) {
	top := q.items[0]
	last := len(q.items) - 1
	q.items[0] = q.items[last]
	q.items[last] = queued[T]{} // let go of what it points to
	q.items = q.items[:last]
	for i := 0; ; {
		least := i
		for down := 2*i + 1; down <= 2*i+2 && down < last; down++ {
			if q.items[down].before(q.items[least]) {
				least = down
			}
		}
		if least == i {
			return top.at, top.what
		}
		q.items[i], q.items[least] = q.items[least], q.items[i]
		i = least
	}
}
