package crashtable

import (
	"fmt"

	timers "gatewaymeter/labs/06-timers/solution"
	"gatewaymeter/pipeline"
	"gatewaymeter/stream"
)

// valueRow counts the keys of a value state.
func valueRow(name, uid, state string) row {
	return row{
		name: name, kind: entries,
		now: func(l pipeline.Life) amounts { return keysOf(l, uid, state) },
		sets: func(s stream.Step) (string, bool) {
			return s.Key, s.Kind == stream.StateSet && s.UID == uid && s.Name == state
		},
	}
}

// timerRow counts the keys of an operator that have a timer.
func timerRow(name, uid string) row {
	return row{
		name: name, kind: entries,
		now:  func(l pipeline.Life) amounts { return keysOf(l, uid, timers.StateName(stream.EventTime)) },
		sets: func(s stream.Step) (string, bool) { return s.Key, s.Kind == stream.TimerSet && s.UID == uid },
	}
}

// stateRow counts the entries of a map state.
func stateRow[K any](name, uid, state string, codec stream.Codec[K]) row {
	id := func(key string, entry any) string { return fmt.Sprintf("%s/%v", key, entry) }
	return row{
		name: name, kind: entries,
		now: func(l pipeline.Life) amounts {
			a := amounts{}
			walk(l.Simulation, uid, state, func(key string, v any) {
				for _, e := range v.([]stream.MapEntry) {
					entry, err := codec.Decode(e.Key)
					if err != nil {
						panic(err)
					}
					a[id(key, entry)] = 1
				}
			})
			return a
		},
		sets: func(s stream.Step) (string, bool) {
			ok := s.Kind == stream.StateSet && s.UID == uid && s.Name == state
			if !ok {
				return "", false
			}
			return id(s.Key, s.Entry), true
		},
	}
}

func keysOf(l pipeline.Life, uid, state string) amounts {
	a := amounts{}
	walk(l.Simulation, uid, state, func(key string, _ any) { a[key] = 1 })
	return a
}
