package timers

import (
	"fmt"

	"gatewaymeter/stream"
)

// setCodec writes the timers of one key, and reads them. The backend writes down whose they are: the
// key and its group stand in the snapshot already, and the place in the queue means nothing outside of
// this process.
type setCodec struct{}

// Append writes the timers by time, then window, each as three integers (stream.AppendInt): at, and
// the window's start and end. The order in which they were registered must not show: equal state has
// equal bytes.
func (setCodec) Append(dst []byte, s set) []byte {
	//lab:begin 6f
	for _, t := range s.sorted() {
		dst = stream.AppendInt(dst, int64(t.at))
		dst = stream.AppendInt(dst, int64(t.window.Start))
		dst = stream.AppendInt(dst, int64(t.window.End))
	}
	return dst
	//lab:end
}

// Decode reads what Append wrote. Bytes that are not that, or a timer that stands there twice, are an
// error. The timers are in no queue yet: see Recover.
func (setCodec) Decode(src []byte) (set, error) {
	//lab:begin 6f
	var (
		s set
		w stream.Wire
	)
	for w.Reset(src); w.More(); {
		at := stream.Time(w.Int())
		window := stream.Window{Start: stream.Time(w.Int()), End: stream.Time(w.Int())}
		if w.Err() != nil {
			break
		}
		if s.find(at, window) != nil {
			return s, fmt.Errorf("%w: the timer at %v is there twice", stream.ErrCorrupt, at)
		}
		s.add(at, window)
	}
	return s, w.Done()
	//lab:end
}

// Stored reads the timers of one key as a snapshot holds them, by time, then window. Domain, group and
// key are not in there: whoever reads the snapshot knows them.
func Stored(content []byte) ([]stream.Timer, error) {
	s, err := setCodec{}.Decode(content)
	if err != nil {
		return nil, err
	}
	var timers []stream.Timer
	for _, t := range s.sorted() {
		timers = append(timers, stream.Timer{At: t.at, Window: t.window})
	}
	return timers, nil
}
