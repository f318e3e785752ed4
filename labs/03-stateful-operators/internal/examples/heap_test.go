package examples

import (
	"gatewaymeter/gateway"
	operators "gatewaymeter/labs/03-stateful-operators/solution"
	"gatewaymeter/stream"
	"strconv"
	"testing"
)

func BenchmarkCells(b *testing.B) {
	c := &stream.Context{Backend: operators.NewHeap(0, 127)}
	open := stream.NewValue[gateway.OpenRequest](c, "open", stream.JSON[gateway.OpenRequest]())
	keys := make([]string, 4096)
	for i := range keys {
		keys[i] = "request-" + strconv.Itoa(i)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		j := i & 4095
		c.SetKey(j&127, keys[j])
		open.Update(gateway.OpenRequest{RequestID: keys[j]})
		j = (i - 1000) & 4095
		c.SetKey(j&127, keys[j])
		open.Get()
		open.Clear()
	}
}
