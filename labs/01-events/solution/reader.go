package events

import (
	"cmp"
	"fmt"
	"slices"

	"gatewaymeter/stream"
)

// splitReader reads the splits of one source subtask. Its state is the next offset of each.
type splitReader struct {
	log stream.Log
	//lab:begin 1d
	splits []split // by partition
	turn   int     // the split that the next poll asks first
	//lab:end
}

//lab:begin 1d

// split is a split and whether its end has been told.
type split struct {
	stream.Split
	finished bool
}

//lab:end

// NewSplitReader reads splits of the topic that log stands for. It has none until Add.
func NewSplitReader(log stream.Log) stream.SplitReader {
	return &splitReader{log: log}
}

// Add takes splits over: new ones, or those of a Snapshot, which go on where it was taken. It is called
// before the first Poll.
func (r *splitReader) Add(splits ...stream.Split) {
	//lab:begin 1d
	for _, s := range splits {
		r.splits = append(r.splits, split{Split: s})
	}
	slices.SortFunc(r.splits, func(a, b split) int { return cmp.Compare(a.Partition, b.Partition) })
	//lab:end
}

// Poll hands up to max messages to out. It never waits.
//
//   - The messages of a partition come in the order of their offsets, none twice, none left out, and
//     none at Stop or after it. Offsets may have gaps, since a log drops what was compacted away and
//     what belongs to a transaction's bookkeeping.
//   - A split is finished when its next offset has reached Stop. The messages just before Stop may be
//     gone; so a message past Stop ends the split too, and so does a log that says it is there (see
//     stream.Positioned). Finished is called once for each such split, after its last message, and at
//     once for a split that starts at or after its Stop. A split with Stop Unbounded never ends.
//   - No split starves: if every split has messages, each gets its share of max.
//   - After an error of out or of the log, which ends the poll, the next offset is still that of the
//     first message that out has not taken.
//
// It says Ended when every split is finished, Reading when it handed something out, else Waiting.
func (r *splitReader) Poll(max int, out stream.SplitOutput) (stream.Progress, error) {
	//lab:begin 1d
	open, polled := 0, 0
	for i := range r.splits {
		s := &r.splits[(r.turn+i)%len(r.splits)]
		if s.finished {
			continue
		}
		left := len(r.splits) - i
		n, err := r.read(s, (max-polled+left-1)/left, out)
		if err != nil {
			return stream.Waiting, err
		}
		polled += n
		if !s.finished {
			open++
		}
	}
	r.turn++
	switch {
	case open == 0:
		return stream.Ended, nil
	case polled > 0:
		return stream.Reading, nil
	}
	return stream.Waiting, nil
	//lab:end
}

//lab:begin 1d

// read hands up to max messages of one split to out, and finishes it if that was its end.
func (r *splitReader) read(s *split, max int, out stream.SplitOutput) (int, error) {
	n := 0
	if !s.atEnd() && max > 0 {
		batch, err := r.log.Fetch(s.Partition, s.Next, max)
		if err != nil {
			return 0, fmt.Errorf("reading partition %d of %s from offset %d: %w", s.Partition, s.Topic, s.Next, err)
		}
		for _, m := range batch {
			if s.Stop != stream.Unbounded && m.Offset >= s.Stop {
				s.Next = s.Stop // what stood before Stop is gone from the log
				break
			}
			if err := out.Message(m); err != nil {
				return n, err
			}
			s.Next = m.Offset + 1
			n++
		}
		r.skipGap(s, len(batch))
	}
	if s.atEnd() {
		s.finished = true
		out.Finished(s.Partition)
	}
	return n, nil
}

// skipGap moves to Stop if the log knows that no message is left before it.
func (r *splitReader) skipGap(s *split, fetched int) {
	log, ok := r.log.(stream.Positioned)
	if ok && fetched == 0 && s.Stop != stream.Unbounded && log.Position(s.Partition) >= s.Stop {
		s.Next = s.Stop
	}
}

func (s *split) atEnd() bool { return s.Stop != stream.Unbounded && s.Next >= s.Stop }

//lab:end

// Snapshot is every split, finished ones too, with the offset of the next message to read, by ascending
// partition. Given to Add of a new reader, it makes that one go on without a message twice or missing.
func (r *splitReader) Snapshot() []stream.Split {
	//lab:begin 1d
	splits := make([]stream.Split, len(r.splits))
	for i, s := range r.splits {
		splits[i] = s.Split
	}
	return splits
	//lab:end
}
