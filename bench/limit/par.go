package limit

import (
	"sync"
	"time"

	"gatewaymeter/bench/work"
)

// batchesInFlight is how many batches a channel holds.
const batchesInFlight = 16

// batch is a share of 200 events, or of what came of them, and the watermark behind it.
type batch[T any] struct {
	records   []T
	watermark int64
}

// pools keep used batches.
var (
	eventBatches = sync.Pool{New: func() any { return &batch[work.Event]{} }}
	usageBatches = sync.Pool{New: func() any { return &batch[usage]{} }}
)

// hash is FNV-1a, over the key as every engine does it.
func hash(key string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(key); i++ {
		h = (h ^ uint32(key[i])) * 16777619
	}
	return h ^ h>>16
}

// Par2 runs the work in three goroutines: a source, and two partitions that send each other the
// finished requests whose tenant the other owns. The duration is as Loop's.
func Par2(stage work.Stage, requests int64, seed uint64) (work.Outcome, time.Duration) {
	start := time.Now()
	var halves [2]*half
	for me := range halves {
		halves[me] = newHalf(me, stage)
	}
	var running sync.WaitGroup
	for me, h := range halves {
		h.toPeer = halves[1-me].fromPeer
		running.Go(h.run)
	}
	events := deal(work.NewEvents(requests, seed), halves)
	running.Wait()
	took := time.Since(start)
	o := work.Outcome{Stage: stage, Requests: requests, Seed: seed, Events: events}
	for _, h := range halves {
		o.Open += int64(len(h.open))
		o.Timers += int64(len(h.timers))
		o.Sums.Add(h.sums)
	}
	return o, took
}

// deal is the source: it sends every event to the half that owns its request, and counts them.
func deal(input *work.Events, halves [2]*half) (events int64) {
	var filling [2]*batch[work.Event]
	for i := range filling {
		filling[i] = eventBatches.Get().(*batch[work.Event])
	}
	flush := func(watermark int64) {
		for i, b := range filling {
			b.watermark = watermark
			halves[i].in <- b
			filling[i] = eventBatches.Get().(*batch[work.Event])
		}
	}
	var maxTS int64
	for e := (work.Event{}); input.Next(&e); {
		b := filling[hash(e.ID)&1]
		b.records = append(b.records, e)
		maxTS = max(maxTS, e.TS)
		events++
		if events%work.WatermarkEvery == 0 {
			flush(maxTS - work.Disorder - 1)
		}
	}
	flush(endOfTime)
	return events
}

// half is one of the two partitions.
type half struct {
	*partition
	me       int
	in       chan *batch[work.Event]
	fromPeer chan *batch[usage]
	toPeer   chan *batch[usage]

	sending    *batch[usage] // for the peer
	mark, peer int64         // watermarks: of the source, and of the peer
}

func newHalf(me int, stage work.Stage) *half {
	const none = -1 << 62
	h := &half{
		partition: newPartition(stage),
		me:        me,
		in:        make(chan *batch[work.Event], batchesInFlight),
		fromPeer:  make(chan *batch[usage], batchesInFlight),
		sending:   usageBatches.Get().(*batch[usage]),
		mark:      none, peer: none,
	}
	h.emit = h.route
	return h
}

// route keeps a finished request, or puts it aside for the peer.
func (h *half) route(u *usage) {
	if int(hash(u.tenant)&1) == h.me {
		h.usage(u)
		return
	}
	h.sending.records = append(h.sending.records, *u)
}

func (h *half) run() {
	for h.mark != endOfTime {
		select {
		case b := <-h.in:
			h.events(b)
			h.send()
		case b := <-h.fromPeer:
			h.take(b)
		}
		h.fireWindows(min(h.mark, h.peer))
	}
	for h.peer != endOfTime {
		h.take(<-h.fromPeer)
	}
	h.fireWindows(endOfTime)
}

func (h *half) events(b *batch[work.Event]) {
	for i := range b.records {
		h.event(&b.records[i])
	}
	h.mark = b.watermark
	b.records = b.records[:0]
	eventBatches.Put(b)
	h.fireTimers(h.mark)
}

// send passes on what is the peer's. It takes from the peer meanwhile, or both could wait for ever.
func (h *half) send() {
	h.sending.watermark = h.mark
	for {
		select {
		case h.toPeer <- h.sending:
			h.sending = usageBatches.Get().(*batch[usage])
			return
		case b := <-h.fromPeer:
			h.take(b)
		}
	}
}

func (h *half) take(b *batch[usage]) {
	for i := range b.records {
		h.usage(&b.records[i])
	}
	h.peer = b.watermark
	b.records = b.records[:0]
	usageBatches.Put(b)
}
