package checkpoints

import "gatewaymeter/stream"

// KeepWatermark answers investigation 7.5: a function that knows after a restore how far time had come.
// What inner had cleaned up before the snapshot stays cleaned up, and what was in time then still is.
//
// For each element inner finds in c.Watermark the greater of two: the operator's watermark, which starts
// from nothing after a restore, and the one that the operator had at the snapshot, in the subtask that
// owned the element's key then. That must be right at any parallelism before and after. The watermark at
// a snapshot is the same greater one, so a job that is restored again before time has caught up has
// forgotten nothing. Timers fire by the operator's own watermark, as they do without this. Of what else a
// function may do (Snapshotter, Finisher, Closer), inner is not asked: windows do none of it.
//
// Flink's WindowOperator forgets (FLINK-5601); the window aggregates of its SQL keep their progress in
// state, as this does (FLINK-24501).
func KeepWatermark[In, Out any](inner stream.KeyedFunction[In, Out]) stream.KeyedFunction[In, Out] {
	//lab:begin 7.5
	return &keeper[In, Out]{inner: inner}
	//lab:end
}

//lab:begin 7.5

// keeper is a function whose time does not go back.
type keeper[In, Out any] struct {
	inner stream.KeyedFunction[In, Out]
	kept  stream.List[groupTime]
	least []stream.Time // of each of this subtask's groups: what the restored snapshot had seen
}

// groupTime is the watermark that a key group had reached. It is kept by group and not by subtask, since
// groups move: the least of all subtasks would open windows again that another one had purged, and the
// greatest would refuse what is in time where time had not come as far.
type groupTime struct {
	Group int         `json:"group"`
	At    stream.Time `json:"at"`
}

// Open reads the times of all groups, which union redistribution gives to every subtask, and keeps those
// of its own.
func (k *keeper[In, Out]) Open(c *stream.Context) error {
	k.kept = stream.NewOperatorList(c, "watermarks", stream.JSON[groupTime](), stream.Union)
	k.least = make([]stream.Time, c.LastGroup-c.FirstGroup+1)
	for i := range k.least {
		k.least[i] = stream.NoTime
	}
	for g := range k.kept.All() {
		if g.Group >= c.FirstGroup && g.Group <= c.LastGroup {
			k.least[g.Group-c.FirstGroup] = g.At
		}
	}
	return k.inner.Open(c)
}

// ProcessElement lends inner the greater watermark for this element.
func (k *keeper[In, Out]) ProcessElement(c *stream.Context, in In, out stream.Collector[Out]) error {
	own := c.Watermark
	c.Watermark = max(own, k.least[c.Group()-c.FirstGroup])
	err := k.inner.ProcessElement(c, in, out)
	c.Watermark = own
	return err
}

// OnTimer implements stream.TimerFunction; only a function that registers timers is called.
func (k *keeper[In, Out]) OnTimer(c *stream.Context, t stream.Timer, out stream.Collector[Out]) error {
	return k.inner.(stream.TimerFunction[Out]).OnTimer(c, t, out)
}

// Snapshot implements stream.Snapshotter.
func (k *keeper[In, Out]) Snapshot(c *stream.Context) error {
	times := make([]groupTime, len(k.least))
	for i, at := range k.least {
		times[i] = groupTime{c.FirstGroup + i, max(c.Watermark, at)}
	}
	k.kept.Update(times)
	return nil
}

//lab:end
