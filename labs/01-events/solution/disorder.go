package events

// Disorder measures how far event time lags behind itself: for each event of a partition, how many ms
// its timestamp is below the greatest one that the partition had so far. A watermark must wait that
// long (lab 05), so this is the figure that its bound is chosen from. One goroutine uses it at a time.
type Disorder struct {
	//lab:begin 1e
	partitions map[int32]*partitionDisorder
	//lab:end
}

//lab:begin 1e

type partitionDisorder struct {
	newest int64
	lags   Histogram
}

//lab:end

// NewDisorder has seen nothing yet.
func NewDisorder() *Disorder {
	//lab:begin 1e
	return &Disorder{partitions: map[int32]*partitionDisorder{}}
	//lab:end
}

// Observe takes the next event of a partition, in offset order, with its ts in ms, and returns its lag
// in ms: 0 for an event that is as new as any before it, and for the first.
func (d *Disorder) Observe(partition int32, ts int64) int64 {
	//lab:begin 1e
	p := d.partitions[partition]
	if p == nil {
		p = &partitionDisorder{newest: ts}
		d.partitions[partition] = p
	}
	p.newest = max(p.newest, ts)
	lag := p.newest - ts
	p.lags.Add(lag)
	return lag
	//lab:end
}

// Lags is the lags of a partition's events so far, in ms; an empty histogram if it had none.
func (d *Disorder) Lags(partition int32) Histogram {
	//lab:begin 1e
	if p := d.partitions[partition]; p != nil {
		return p.lags
	}
	return Histogram{}
	//lab:end
}

// Bound is the least bound, in ms, at which no event so far would have been late on any partition: the
// greatest lag of all.
func (d *Disorder) Bound() int64 {
	//lab:begin 1e
	bound := int64(0)
	for _, p := range d.partitions {
		bound = max(bound, p.lags.Max())
	}
	return bound
	//lab:end
}
