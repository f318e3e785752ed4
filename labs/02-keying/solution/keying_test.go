package keying

import (
	"testing"

	"gatewaymeter/stream"
)

type wide struct {
	ID      string
	Payload [11]int64
}

func BenchmarkExchange(b *testing.B) {
	groups, _ := NewGroups(128)
	owner := make([]int, 128)
	for g := range owner {
		owner[g] = groups.Owner(g, 4)
	}
	x := NewExchange(func(w wide) int { return groups.Of(HashString(w.ID)) }, owner)
	in := make([]stream.Record[wide], 256)
	for i := range in {
		in[i].Value.ID = "req-" + string(rune('a'+i%26)) + "00000042"
	}
	out := make([]*stream.Batch[wide], 4)
	for i := range out {
		out[i] = &stream.Batch[wide]{Records: make([]stream.Record[wide], 0, 256)}
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, o := range out {
			o.Records = o.Records[:0]
		}
		x.Split(in, out)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/256, "ns/record")
}

func BenchmarkHashString(b *testing.B) {
	b.ReportAllocs()
	h := int32(0)
	for b.Loop() {
		h += HashString("req-000000042")
	}
	_ = h
}
