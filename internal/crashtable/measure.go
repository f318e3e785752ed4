package crashtable

import (
	"slices"

	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// fate is what became of what a row counts.
type fate struct {
	row                           row
	atDeath, survives, recomputed int64
	emittedTwice, lost            int64
}

// watcher follows one crash run: what the job held when its worker died, what its successor began with,
// and what came back until the end.
type watcher struct {
	rows    []row
	saved   bool      // the successor begins with a checkpoint
	died    []amounts // by row, when the worker died
	began   []amounts // by row, when the successor began
	missing []amounts // of entries: those that are not back yet

	before, after *pipeline.Output // what the one wrote, and the other
	read, starts  []int64          // how far the one had read, and where the other began
	ended         []amounts        // by row, of sums: what they had come to
}

// watch implements CrashConfig.Watch. A run whose crash point was not reached begins again with life 0.
func (w *watcher) watch(e pipeline.LifeEvent, l pipeline.Life) {
	switch {
	case l.Number == 0 && e == pipeline.LifeBegins:
		w.missing = nil
	case l.Number == 0:
		w.died, w.before, w.read = w.look(l), l.Out, l.Read
	case e == pipeline.LifeBegins:
		w.began, w.starts = w.look(l), l.Starts
		w.missing = make([]amounts, len(w.rows))
		for i := range w.rows {
			w.missing[i] = without(w.died[i], w.began[i])
		}
	default:
		w.after = l.Out
		e := end{l, joined(w.before, l.Out)}
		w.ended = make([]amounts, len(w.rows))
		for i, r := range w.rows {
			if r.kind == sums {
				w.ended[i] = r.ends(e)
			}
		}
	}
}

// step implements CrashConfig.Trace: it crosses entries off that the successor sets again.
func (w *watcher) step(s stream.Step) {
	if w.missing == nil {
		return
	}
	for i, r := range w.rows {
		if r.kind != entries {
			continue
		}
		if id, ok := r.sets(s); ok {
			delete(w.missing[i], id)
		}
	}
}

// look is what the job's state holds now.
func (w *watcher) look(l pipeline.Life) []amounts {
	all := make([]amounts, len(w.rows))
	for i, r := range w.rows {
		if r.now != nil {
			all[i] = r.now(l)
		}
	}
	return all
}

// fates is what became of each row's number.
func (w *watcher) fates(log *pipeline.CrashLog) []fate {
	all := make([]fate, len(w.rows))
	for i, r := range w.rows {
		f := fate{row: r}
		switch r.kind {
		case entries:
			f.atDeath, f.lost = w.died[i].sum(), w.missing[i].sum()
			f.survives = shared(w.died[i], w.began[i])
			f.recomputed = f.atDeath - f.survives - f.lost
		case sums:
			f.sum(w.died[i], w.began[i], w.ended[i], r.owed(log), w.rereads())
		case offsets:
			f.offsets(w.read, w.starts, w.saved)
		case lines:
			f.lines(r.said(w.before), r.said(w.after), r.owed(log))
		}
		all[i] = f
	}
	return all
}

// rereads reports whether the successor reads any message that had been read.
func (w *watcher) rereads() bool {
	for p, at := range w.read {
		if w.starts[p] < at {
			return true
		}
	}
	return false
}

// sum is the fate of something that adds up. Where nothing is read again, what comes later may add to the
// same sum, but what is missing is missing.
func (f *fate) sum(died, began, ended, owed amounts, rereads bool) {
	f.atDeath, f.survives = died.sum(), shared(died, began)
	for id, n := range without(died, began) {
		lost := n
		if rereads {
			lost = min(n, max(0, owed[id]-ended[id]))
		}
		f.lost += lost
		f.recomputed += n - lost
	}
}

// offsets is the fate of the messages that had been read. Those before the place where the successor
// begins are in the state that it has been given, or, if it has none, nobody reads them again.
func (f *fate) offsets(read, starts []int64, saved bool) {
	for p, at := range read {
		f.atDeath += at
		f.recomputed += max(0, at-starts[p])
	}
	if saved {
		f.survives = f.atDeath - f.recomputed
	} else {
		f.lost = f.atDeath - f.recomputed
	}
}

// lines is the fate of what had been written.
func (f *fate) lines(before, after, owed amounts) {
	f.atDeath = int64(len(before))
	f.survives = f.atDeath
	for id, n := range owed {
		_, first := before[id]
		said, again := after[id]
		if first && again {
			f.emittedTwice++
		}
		if !again {
			said = before[id]
		}
		if said < n {
			f.lost++
		}
	}
}

func (a amounts) sum() (n int64) {
	for _, x := range a {
		n += x
	}
	return n
}

// without is what of a is not in b.
func without(a, b amounts) amounts {
	rest := amounts{}
	for id, n := range a {
		if n > b[id] {
			rest[id] = n - b[id]
		}
	}
	return rest
}

// shared is how much of a is in b too.
func shared(a, b amounts) int64 { return a.sum() - without(a, b).sum() }

// joined is the lines of two lives.
func joined(a, b *pipeline.Output) *pipeline.Output {
	return &pipeline.Output{
		Totals: slices.Concat(a.Totals, b.Totals), Invoice: slices.Concat(a.Invoice, b.Invoice),
		DeadLetters: slices.Concat(a.DeadLetters, b.DeadLetters), Unpriced: slices.Concat(a.Unpriced, b.Unpriced),
		Late: slices.Concat(a.Late, b.Late), Alerts: slices.Concat(a.Alerts, b.Alerts),
	}
}
