package engine

import (
	"fmt"
	"time"

	"gatewaymeter/stream"
)

// LogConfig says how a LogSource reads a topic.
type LogConfig[T any] struct {
	// Splits is every partition of the topic, with the offsets to start at and to stop before. After
	// a restore the offsets in the snapshot count instead.
	Splits []stream.Split
	// Log opens what a subtask fetches from. It is called in Open, and closed with the source.
	Log func(subtask int) (stream.Log, error)
	// Decode makes an element and its event time. On an error the message goes to Malformed, and
	// never touches a watermark.
	Decode    func(m stream.Message) (T, stream.Time, error)
	Malformed func(c *stream.Context, m stream.Message, err error)
	// Every and Interval say when the watermark is looked at: after so many messages (0: never), and
	// when so much processing time has passed (0: DefaultInterval).
	Every    int
	Interval time.Duration
}

// DefaultInterval is Flink's default for the periodic emission of watermarks.
const DefaultInterval = 200 * time.Millisecond

// LogSource reads the partitions of a topic: fetch, decode, watermark. A partition belongs to subtask
// partition mod parallelism. Its only state is the next offset of each partition, an operator list
// with union redistribution: whatever the new parallelism, each subtask finds its own.
type LogSource[T any] struct {
	cfg        LogConfig[T]
	parts      Parts
	log        stream.Log
	gate       *gate
	reader     stream.SplitReader
	watermarks stream.SplitWatermarks // nil before lab 05
	offsets    stream.List[stream.Split]
	events     stream.Counter
	malformed  stream.Counter
	output     logOutput[T]
	sinceProbe int
	lastProbe  stream.Time
	onlooker   bool // it has no partition of a topic that does not end

	partition int32 // of the message that is being handled, while busy
	offset    int64
	busy      bool
}

// NewLogSource makes the source of one subtask.
func NewLogSource[T any](parts Parts, cfg LogConfig[T]) *LogSource[T] {
	if cfg.Interval == 0 {
		cfg.Interval = DefaultInterval
	}
	return &LogSource[T]{cfg: cfg, parts: parts}
}

// Open implements stream.Source.
func (s *LogSource[T]) Open(c *stream.Context) (err error) {
	if s.parts.Splits == nil {
		return fmt.Errorf("the engine has no split reader (lab 01)")
	}
	if s.log, err = s.cfg.Log(c.Subtask); err != nil {
		return err
	}
	s.gate = &gate{Log: s.log}
	s.reader = s.parts.Splits(s.gate)
	if s.parts.Watermarks != nil {
		s.watermarks = s.parts.Watermarks()
	}
	s.offsets = stream.NewOperatorList(c, "offsets", splitCodec{}, stream.Union)
	s.events = stream.NewCounter(c, "events")
	s.malformed = stream.NewCounter(c, "malformed")
	s.output = logOutput[T]{source: s, c: c}
	s.lastProbe = c.Clock.Now()
	owned, endless := 0, false
	for _, split := range s.splits(c) {
		endless = endless || split.Stop == stream.Unbounded
		if int(split.Partition)%c.Parallelism != c.Subtask {
			continue
		}
		owned++
		s.reader.Add(split)
		if s.watermarks != nil {
			s.watermarks.Add(int(split.Partition))
		}
	}
	if s.onlooker = owned == 0 && endless; s.onlooker {
		s.lastProbe -= s.interval() // it is idle at once
	}
	return nil
}

// interval is the pause between two looks at the watermark, in ms.
func (s *LogSource[T]) interval() stream.Time { return stream.Time(s.cfg.Interval.Milliseconds()) }

// splits is the configured splits, with the offsets of the snapshot where there are any.
func (s *LogSource[T]) splits(c *stream.Context) []stream.Split {
	if !c.Restored {
		return s.cfg.Splits
	}
	known := map[int32]stream.Split{}
	for split := range s.offsets.All() {
		known[split.Partition] = split
	}
	splits := make([]stream.Split, len(s.cfg.Splits))
	for i, split := range s.cfg.Splits {
		splits[i] = split
		if at, ok := known[split.Partition]; ok {
			splits[i] = at
		}
	}
	return splits
}

// Poll implements stream.Source.
func (s *LogSource[T]) Poll(c *stream.Context, max int, out stream.SourceOutput[T]) (stream.Progress, error) {
	s.output.to = out
	if s.watermarks != nil {
		s.gate.paused = s.watermarks.Paused()
	}
	progress, err := s.reader.Poll(max, &s.output)
	if err != nil {
		return progress, err
	}
	if s.onlooker { // the final watermark would be a lie: while the others are idle, it would end time (FLINK-8001)
		progress = stream.Waiting
	}
	if s.watermarks == nil {
		return progress, nil
	}
	if progress == stream.Ended {
		out.Signal(stream.Signal{Watermark: stream.MaxTime})
		return progress, nil
	}
	now := c.Clock.Now()
	if s.cfg.Every > 0 && s.sinceProbe >= s.cfg.Every || now-s.lastProbe >= s.interval() {
		s.sinceProbe, s.lastProbe = 0, now
		signal := s.watermarks.Emit(now)
		if c.Trace != nil {
			noteChannels(c, s.watermarks)
		}
		out.Signal(signal)
	}
	return progress, nil
}

// Ready implements stream.Source.
func (s *LogSource[T]) Ready() <-chan struct{} { return s.log.Ready() }

// Channels implements stream.TimeReporter: the partitions, as the watermarks know them.
func (s *LogSource[T]) Channels() []stream.ChannelTime { return channelsOf(s.watermarks) }

// Snapshot implements stream.Snapshotter.
func (s *LogSource[T]) Snapshot(*stream.Context) error {
	s.offsets.Update(s.reader.Snapshot())
	return nil
}

// Handling says which message is being handled, for a failure's text.
func (s *LogSource[T]) Handling() string {
	if !s.busy {
		return ""
	}
	return fmt.Sprintf("partition %d, offset %d", s.partition, s.offset)
}

// Close implements stream.Closer.
func (s *LogSource[T]) Close() error {
	if s.log == nil {
		return nil
	}
	return s.log.Close()
}

// logOutput takes what the split reader reads.
type logOutput[T any] struct {
	source *LogSource[T]
	c      *stream.Context
	to     stream.SourceOutput[T]
}

// Message implements stream.SplitOutput.
func (o *logOutput[T]) Message(m stream.Message) error {
	s := o.source
	s.events.Add(1)
	s.sinceProbe++
	s.partition, s.offset, s.busy = m.Partition, m.Offset, true
	v, at, err := s.cfg.Decode(m)
	if err != nil {
		s.malformed.Add(1)
		o.c.Time = stream.NoTime
		s.cfg.Malformed(o.c, m, err)
		s.busy = false
		return nil
	}
	if s.watermarks != nil {
		s.watermarks.Event(int(m.Partition), at)
	}
	if o.c.Trace != nil {
		o.c.Note(stream.Step{Kind: stream.ElementIn, Input: int(m.Partition), Entry: m.Offset, Value: v, At: at})
	}
	o.to.Emit(v, at)
	s.busy = false
	return nil
}

// Finished implements stream.SplitOutput.
func (o *logOutput[T]) Finished(partition int32) {
	if o.source.watermarks != nil {
		o.source.watermarks.Finish(int(partition))
	}
}

// splitCodec writes a split of the offsets state.
type splitCodec struct{}

func (splitCodec) Append(dst []byte, s stream.Split) []byte {
	dst = stream.AppendString(dst, s.Topic)
	for _, n := range []int64{int64(s.Partition), s.Next, s.Stop} {
		dst = stream.AppendInt(dst, n)
	}
	return dst
}

func (splitCodec) Decode(src []byte) (stream.Split, error) {
	w := stream.NewWire(src)
	s := stream.Split{Topic: w.Str(), Partition: int32(w.Int()), Next: w.Int(), Stop: w.Int()}
	return s, w.Done()
}

// Offsets reads, out of a source's snapshots, where each partition is to be read on.
func Offsets(parts []OperatorSnapshot) (splits []stream.Split, err error) {
	seen := map[int32]bool{}
	for _, p := range parts {
		for _, l := range p.Lists {
			if l.Name != "offsets" {
				continue
			}
			for _, e := range l.Elements {
				s, err := splitCodec{}.Decode(e)
				if err != nil {
					return nil, fmt.Errorf("the offsets of operator %q, subtask %d: %w", p.UID, p.Subtask, err)
				}
				if !seen[s.Partition] {
					seen[s.Partition] = true
					splits = append(splits, s)
				}
			}
		}
	}
	return splits, nil
}
