package lab01_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatewaymeter/internal/kit/suite"
	events "gatewaymeter/labs/01-events/starter"
	"gatewaymeter/stream"
)

func split(partition int32, next, stop int64) stream.Split {
	return stream.Split{Topic: "topic", Partition: partition, Next: next, Stop: stop}
}

func readerOf(log stream.Log, splits ...stream.Split) stream.SplitReader {
	r := events.NewSplitReader(log)
	r.Add(splits...)
	return r
}

// drain polls until the reader says something else than Reading, at most a thousand times.
func drain(t *testing.T, r stream.SplitReader, max int, out *taken) stream.Progress {
	t.Helper()
	for range 1000 {
		progress, err := r.Poll(max, out)
		suite.NoError(t, err, "Poll has no error")
		if progress != stream.Reading {
			return progress
		}
	}
	suite.Wrong(t, suite.Failure{
		Says: "after 1000 polls there still is something to read: does Next go on behind each message?",
		Got:  fmt.Sprintf("%.10q …", out.messages),
	})
	return stream.Waiting
}

// of is the messages of one partition, in the order in which they came.
func of(partition int32, messages []string) []string {
	var mine []string
	for _, m := range messages {
		if strings.HasPrefix(m, fmt.Sprintf("p%d-", partition)) {
			mine = append(mine, m)
		}
	}
	return mine
}

// line names the messages of a partition with the offsets from to to-1.
func line(partition int32, from, to int64) []string {
	var all []string
	for offset := from; offset < to; offset++ {
		all = append(all, fmt.Sprintf("p%d-%d", partition, offset))
	}
	return all
}

// Test1d: Split reader: offset order, next offset per partition, snapshot and restore (30 min)
func Test1d(t *testing.T) {
	suite.Exercise(t, "1d", func(t *testing.T) {
		suite.Sub(t, "every message once, in offset order", everyMessageOnce)
		suite.Sub(t, "it starts at Next and ends before Stop", fromNextToStop)
		suite.Sub(t, "an empty split is finished at once", emptySplits)
		suite.Sub(t, "a split without an end waits", unbounded)
		suite.Sub(t, "a poll hands out at most max", boundedPolls)
		suite.Sub(t, "no split starves", fairness)
		suite.Sub(t, "offsets may have gaps", gaps)
		suite.Sub(t, "the last messages before Stop may be gone", goneBeforeStop)
		suite.Sub(t, "a snapshot goes on where it was taken", snapshots)
		suite.Sub(t, "an error leaves the offset before the message", failures)
	})
}

func everyMessageOnce(t *testing.T) {
	for _, max := range []int{1, 2, 7, 1000} {
		log := newMemory().upTo(0, 20).upTo(1, 5).upTo(2, 9)
		out := &taken{}
		progress := drain(t, readerOf(log, split(2, 0, 9), split(0, 0, 20), split(1, 0, 5)), max, out)
		for p, n := range []int64{20, 5, 9} {
			suite.Equal(t, line(int32(p), 0, n), of(int32(p), out.messages), suite.Failure{
				Says: fmt.Sprintf("partition %d does not come out once and in order, with polls of %d", p, max),
			})
		}
		suite.Equal(t, stream.Ended, progress, suite.Failure{Says: "all splits have reached their Stop, so Poll must say Ended"})
		slices.Sort(out.finished)
		suite.Equal(t, []int32{0, 1, 2}, out.finished, suite.Failure{Says: "Finished must be called once for each split"})
		again, err := readAgain(log, out)
		suite.NoError(t, err, "Poll after the end has no error")
		suite.Equal(t, stream.Ended, again, suite.Failure{Says: "a reader whose splits have all ended says Ended at every poll"})
	}
}

// readAgain polls a reader twice past its end.
func readAgain(log stream.Log, out *taken) (stream.Progress, error) {
	r := readerOf(log, split(0, 20, 20))
	if _, err := r.Poll(10, out); err != nil {
		return stream.Waiting, err
	}
	return r.Poll(10, out)
}

func fromNextToStop(t *testing.T) {
	out := &taken{}
	log := newMemory().upTo(0, 20).upTo(1, 20)
	progress := drain(t, readerOf(log, split(0, 5, 8), split(1, 19, 20)), 4, out)
	slices.Sort(out.messages)
	suite.Equal(t, []string{"p0-5", "p0-6", "p0-7", "p1-19"}, out.messages, suite.Failure{
		Says: "Next is the first offset to read and Stop the first not to read", Input: "splits p0 [5, 8) and p1 [19, 20) of 20 messages each",
	})
	suite.Equal(t, stream.Ended, progress, suite.Failure{Says: "both splits are at their Stop"})
}

func emptySplits(t *testing.T) {
	out := &taken{}
	log := newMemory().upTo(0, 20)
	r := readerOf(log, split(0, 0, 0), split(1, 7, 7), split(2, 9, 4))
	progress, err := r.Poll(10, out)
	suite.NoError(t, err, "Poll has no error")
	slices.Sort(out.finished)
	suite.Equal(t, []int32{0, 1, 2}, out.finished, suite.Failure{
		Says: "a split that starts at or after its Stop is finished at the first poll", Input: "splits [0, 0), [7, 7) and [9, 4)",
	})
	suite.Equal(t, stream.Ended, progress, suite.Failure{Says: "nothing is left to read"})
	suite.Equal(t, 0, len(out.messages), suite.Failure{Says: "an empty split has no messages"})

	out = &taken{}
	progress, err = events.NewSplitReader(log).Poll(10, out)
	suite.NoError(t, err, "Poll of a reader without splits has no error")
	suite.Equal(t, stream.Ended, progress, suite.Failure{Says: "a reader without splits has reached the end of all of them"})
}

func unbounded(t *testing.T) {
	log := newMemory().upTo(0, 3)
	out := &taken{}
	r := readerOf(log, split(0, 0, stream.Unbounded))
	suite.Equal(t, stream.Waiting, drain(t, r, 10, out), suite.Failure{Says: "an unbounded split with nothing more to read waits"})
	log.add(0, 3, 4)
	suite.Equal(t, stream.Waiting, drain(t, r, 10, out), suite.Failure{Says: "an unbounded split never ends"})
	suite.Equal(t, line(0, 0, 5), out.messages, suite.Failure{Says: "messages that came later are read later, once"})
	suite.Equal(t, 0, len(out.finished), suite.Failure{Says: "an unbounded split is never finished"})

	late := newMemory()
	out = &taken{}
	r = readerOf(late, split(0, 0, 2))
	suite.Equal(t, stream.Waiting, drain(t, r, 10, out), suite.Failure{Says: "a split whose messages have not come yet waits; it is not at its end"})
	late.upTo(0, 2)
	suite.Equal(t, stream.Ended, drain(t, r, 10, out), suite.Failure{Says: "once they have come, the split ends"})
}

func boundedPolls(t *testing.T) {
	log := newMemory().upTo(0, 100).upTo(1, 100).upTo(2, 100)
	r := readerOf(log, split(0, 0, 100), split(1, 0, 100), split(2, 0, 100))
	for _, max := range []int{1, 2, 10} {
		out := &taken{}
		progress, err := r.Poll(max, out)
		suite.NoError(t, err, "Poll has no error")
		if len(out.messages) > max || len(out.messages) == 0 {
			suite.Wrong(t, suite.Failure{
				Says:  "a poll must hand out at most max messages over all splits, and some if there are any",
				Input: fmt.Sprintf("Poll(%d) of three splits with 100 messages each", max),
				Got:   fmt.Sprintf("%d messages", len(out.messages)), Want: fmt.Sprintf("1 to %d", max),
			})
		}
		suite.Equal(t, stream.Reading, progress, suite.Failure{Says: "a poll that handed something out and left something says Reading"})
	}
}

func fairness(t *testing.T) {
	const splits, polls = 4, 40
	for _, max := range []int{1, 3, 10} {
		log := newMemory()
		r := events.NewSplitReader(log)
		for p := range int32(splits) {
			log.upTo(p, 1000)
			r.Add(split(p, 0, 1000))
		}
		out := &taken{}
		for range polls {
			_, err := r.Poll(max, out)
			suite.NoError(t, err, "Poll has no error")
		}
		fair := len(out.messages) / splits
		for p := range int32(splits) {
			if got := len(of(p, out.messages)); got < fair/2 {
				suite.Wrong(t, suite.Failure{
					Says:  fmt.Sprintf("partition %d starves while others are read: its events are late before they are seen", p),
					Input: fmt.Sprintf("%d polls of at most %d messages over %d full splits", polls, max, splits),
					Got:   fmt.Sprintf("%d messages of partition %d", got, p), Want: fmt.Sprintf("about %d", fair),
				})
			}
		}
	}
}

func gaps(t *testing.T) {
	log := newMemory().add(0, 0, 1, 7, 8, 30).add(1, 5, 6)
	for _, max := range []int{1, 3, 100} {
		out := &taken{}
		progress := drain(t, readerOf(log, split(0, 0, 31), split(1, 0, 7)), max, out)
		suite.Equal(t, []string{"p0-0", "p0-1", "p0-7", "p0-8", "p0-30"}, of(0, out.messages), suite.Failure{
			Says: "offsets ascend, but not by one: a compacted log has gaps", Input: "partition 0 holds the offsets 0, 1, 7, 8, 30",
		})
		suite.Equal(t, stream.Ended, progress, suite.Failure{Says: "both splits are at their Stop"})
	}
}

func goneBeforeStop(t *testing.T) {
	log := newMemory().add(0, 0, 1, 12, 13)
	out := &taken{}
	r := readerOf(log, split(0, 0, 10))
	suite.Equal(t, stream.Ended, drain(t, r, 100, out), suite.Failure{
		Says: "a message past Stop shows that nothing is left before it", Input: "partition 0 holds 0, 1, 12, 13; the split is [0, 10)",
	})
	suite.Equal(t, []string{"p0-0", "p0-1"}, out.messages, suite.Failure{Says: "messages at or past Stop are not part of the split"})
	suite.Equal(t, []stream.Split{split(0, 10, 10)}, r.Snapshot(), suite.Failure{Says: "a finished split has reached its Stop, and its snapshot says so"})

	end := positioned{newMemory().add(0, 0, 1), map[int32]int64{0: 10}}
	out = &taken{}
	suite.Equal(t, stream.Ended, drain(t, readerOf(end, split(0, 0, 10)), 100, out), suite.Failure{
		Says:  "the log says (stream.Positioned) that nothing stands before 10: the split is at its end, and waiting would take for ever",
		Input: "partition 0 holds 0 and 1; offsets 2 to 9 are markers of transactions; the split is [0, 10)",
	})
	suite.Equal(t, []int32{0}, out.finished, suite.Failure{Says: "Finished is called when the gap has been skipped"})

	end.position[0] = 9
	out = &taken{}
	suite.Equal(t, stream.Waiting, drain(t, readerOf(end, split(0, 0, 10)), 100, out), suite.Failure{
		Says: "the message 9 may still come: the log's position is not at Stop yet", Input: "the split is [0, 10), the log's position 9",
	})
}

func snapshots(t *testing.T) {
	log := newMemory().upTo(0, 10).upTo(1, 10).upTo(2, 3)
	splits := []stream.Split{split(2, 0, 3), split(0, 2, 10), split(1, 0, stream.Unbounded)}
	r := readerOf(log, splits...)
	suite.Equal(t, []stream.Split{splits[1], splits[2], splits[0]}, r.Snapshot(), suite.Failure{
		Says: "a snapshot is all splits by ascending partition; before the first poll they are as they were added",
	})
	for polls := range 12 {
		log := newMemory().upTo(0, 10).upTo(1, 10).upTo(2, 3)
		before, after := &taken{}, &taken{}
		r := readerOf(log, splits...)
		for range polls {
			_, err := r.Poll(3, before)
			suite.NoError(t, err, "Poll has no error")
		}
		saved := r.Snapshot()
		kept := slices.Clone(saved)
		drain(t, r, 3, &taken{}) // the first reader goes on: the snapshot must not
		suite.Equal(t, kept, saved, suite.Failure{Says: "a snapshot changed after it was taken"})
		drain(t, readerOf(log, saved...), 3, after)
		all := append(before.messages, after.messages...)
		for p, want := range [][]string{line(0, 2, 10), line(1, 0, 10), line(2, 0, 3)} {
			suite.Equal(t, want, of(int32(p), all), suite.Failure{
				Says:  fmt.Sprintf("partition %d, read up to a snapshot and on from it by a new reader, is not whole", p),
				State: fmt.Sprintf("snapshot after %d polls of 3: %+v", polls, saved),
			})
		}
	}
}

func failures(t *testing.T) {
	log := newMemory().upTo(0, 5)
	out := &taken{refuse: "p0-3"}
	r := readerOf(log, split(0, 0, 5))
	_, err := r.Poll(10, out)
	suite.Equal(t, true, errors.Is(err, errRefused), suite.Failure{Says: "Poll must return the error of its output", Got: fmt.Sprint(err), Want: errRefused.Error()})
	suite.Equal(t, []stream.Split{split(0, 3, 5)}, r.Snapshot(), suite.Failure{
		Says: "message 3 was refused, so 3 is the next one to read: an offset past it loses the message, one before it repeats another",
	})

	log.err = errors.New("connection reset")
	_, err = readerOf(log, split(0, 0, 5)).Poll(10, out)
	suite.Equal(t, true, errors.Is(err, log.err), suite.Failure{Says: "Poll must return the error of the log (wrapped is well)", Got: fmt.Sprint(err), Want: log.err.Error()})
}
