package engine

import (
	"sync"

	"gatewaymeter/stream"
)

// DefaultCapacity is how many packets an input channel holds before its sender waits. With less, the
// tasks of a busy job wait for each other in turn (see docs/performance.md).
const DefaultCapacity = 32

// inbox holds the input channels of a task: one bounded ring an input, so that a single input can be
// blocked for alignment while the others flow on. Senders and the one receiver may be on different
// goroutines. The simulated driver uses it too, without waiting.
type inbox struct {
	mu       sync.Mutex
	arrived  *sync.Cond // something for the receiver
	room     *sync.Cond // something was taken
	rings    []ring
	events   []func(*Task) error // completed work, the clock: they overtake packets
	next     int                 // where to look first, so that no input starves
	waiting  int                 // packets in all rings
	closed   bool
	capacity int
}

// ring is a bounded queue.
type ring struct {
	slots       []stream.Packet
	head, count int
}

func newInbox(inputs, capacity int) *inbox {
	b := &inbox{rings: make([]ring, inputs), capacity: capacity}
	for i := range b.rings {
		b.rings[i].slots = make([]stream.Packet, capacity)
	}
	b.arrived, b.room = sync.NewCond(&b.mu), sync.NewCond(&b.mu)
	return b
}

// put adds a packet, waiting for room. It reports false if the inbox was closed.
func (b *inbox) put(input int, p stream.Packet) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.full(input) && !b.closed {
		b.room.Wait()
	}
	if b.closed {
		return false
	}
	b.push(input, p)
	b.arrived.Signal()
	return true
}

func (b *inbox) full(input int) bool { return b.rings[input].count == b.capacity }

func (b *inbox) push(input int, p stream.Packet) {
	r := &b.rings[input]
	r.slots[(r.head+r.count)%len(r.slots)] = p
	r.count++
	b.waiting++
}

// event hands the receiver a call that is not a packet. It never waits.
func (b *inbox) event(f func(*Task) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, f)
	b.arrived.Signal()
}

// tick is event, but only if no event waits already: a slow task must not gather ticks.
func (b *inbox) tick(f func(*Task) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.events) == 0 {
		b.events = append(b.events, f)
		b.arrived.Signal()
	}
}

// taken is what take found.
type taken struct {
	event  func(*Task) error
	input  int
	packet stream.Packet
}

// take removes the next event or packet of an input that is not blocked. If there is none it waits,
// or, with wait false, reports that. closed: the job is over.
func (b *inbox) take(blocked []bool, wait bool) (t taken, found, closed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		if b.closed {
			return taken{}, false, true
		}
		if len(b.events) > 0 {
			t.event = b.events[0]
			b.events = b.events[1:]
			return t, true, false
		}
		if input, ok := b.readable(blocked); ok {
			t.input, t.packet = input, b.pop(input)
			b.room.Broadcast()
			return t, true, false
		}
		if !wait {
			return taken{}, false, false
		}
		b.arrived.Wait()
	}
}

// readable finds an input with a packet, round and round.
func (b *inbox) readable(blocked []bool) (int, bool) {
	for i := range b.rings {
		input := (b.next + i) % len(b.rings)
		if b.rings[input].count > 0 && (blocked == nil || !blocked[input]) {
			b.next = (input + 1) % len(b.rings)
			return input, true
		}
	}
	return 0, false
}

func (b *inbox) pop(input int) stream.Packet {
	r := &b.rings[input]
	p := r.slots[r.head]
	r.slots[r.head] = nil
	r.head = (r.head + 1) % len(r.slots)
	r.count--
	b.waiting--
	return p
}

// holdsBarrier reports whether a barrier waits in any channel. For the simulated driver.
func (b *inbox) holdsBarrier() bool {
	for i := range b.rings {
		r := &b.rings[i]
		for k := range r.count {
			if r.slots[(r.head+k)%len(r.slots)].End().Kind == stream.Barrier {
				return true
			}
		}
	}
	return false
}

// backlog is the number of packets that wait.
func (b *inbox) backlog() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.waiting
}

// close wakes everybody up for good.
func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.arrived.Broadcast()
	b.room.Broadcast()
}
