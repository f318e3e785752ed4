package limit

// timerHeap is a binary heap that knows each timer's place, so that deleting is logarithmic.
type timerHeap []*request

func (h *timerHeap) add(o *request) {
	*h = append(*h, o)
	o.pos = len(*h) - 1
	h.up(o.pos)
}

func (h *timerHeap) remove(o *request) {
	q := *h
	i, last := o.pos, len(q)-1
	if i != last {
		q[i] = q[last]
		q[i].pos = i
	}
	q[last] = nil
	*h = q[:last]
	if i < last {
		h.down(i)
		h.up(i)
	}
}

// pop removes and returns a timer that is due, or nil.
func (h *timerHeap) pop(wm int64) *request {
	q := *h
	if len(q) == 0 || q[0].timer > wm {
		return nil
	}
	o := q[0]
	h.remove(o)
	return o
}

func (h timerHeap) swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].pos, h[j].pos = i, j
}

func (h timerHeap) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if h[parent].timer <= h[i].timer {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

func (h timerHeap) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && h[c+1].timer < h[c].timer {
			c++
		}
		if h[i].timer <= h[c].timer {
			return
		}
		h.swap(i, c)
		i = c
	}
}
