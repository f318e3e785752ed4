package generator

import (
	"cmp"
	"slices"
	"time"
)

// Shuffle returns the messages in another order that follows the same rules: the order of each key is
// kept, and no message lags more behind the greatest ts before it than bound, or than it did already
// (duplicates, and ends that lag above the bound on purpose). So a job must make the same of both.
//
// Each message draws a place between its ts and the latest one that it may have, and the places are
// sorted. All that comes before a message then has a ts of at most its place.
func Shuffle(messages []Message, seed uint64, bound time.Duration) []Message {
	latest := latestPlaces(messages, bound.Milliseconds())
	from := newRandom(seed, "shuffle")
	type placed struct {
		at int64
		m  Message
	}
	order := make([]placed, len(messages))
	previous := map[string]int64{}
	for i, m := range messages {
		earliest := m.TS
		if p, seen := previous[string(m.Key)]; seen {
			earliest = max(earliest, p)
		}
		order[i] = placed{from.between(earliest, latest[i]), m}
		previous[string(m.Key)] = order[i].at
	}
	slices.SortStableFunc(order, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	out := make([]Message, len(order))
	for i, p := range order {
		out[i] = p.m
	}
	return out
}

// latestPlaces gives each message its ts plus the lag that it may have, but no later a place than the
// messages of its key that follow: else they could not follow in time.
func latestPlaces(messages []Message, bound int64) []int64 {
	latest := make([]int64, len(messages))
	high := int64(-1)
	for i, m := range messages {
		latest[i] = m.TS + max(bound, high-m.TS)
		high = max(high, m.TS)
	}
	following := map[string]int64{}
	for i := len(messages) - 1; i >= 0; i-- {
		key := string(messages[i].Key)
		if f, seen := following[key]; seen {
			latest[i] = min(latest[i], f)
		}
		following[key] = latest[i]
	}
	return latest
}
