package operators

import (
	"gatewaymeter/gateway"
	"gatewaymeter/stream"
)

// Codecs of the job's state. A JSON codec would do, at ten times the cost: a checkpoint of a million
// open requests writes each of them with one.
var (
	OpenRequests stream.Codec[gateway.OpenRequest]   = openCodec{}
	Records      stream.Codec[gateway.RequestRecord] = recordCodec{}
	Totals       stream.Codec[Total]                 = totalCodec{}
	PriceCodec   stream.Codec[gateway.Price]         = priceCodec{}
)

type openCodec struct{}

func (openCodec) Append(dst []byte, r gateway.OpenRequest) []byte {
	dst = stream.AppendString(dst, r.RequestID)
	dst = stream.AppendString(dst, r.TenantID)
	dst = stream.AppendString(dst, r.Model)
	dst = stream.AppendInt(dst, r.StartedTS)
	return stream.AppendInt(dst, r.PromptTokens)
}

func (openCodec) Decode(src []byte) (gateway.OpenRequest, error) {
	var w stream.Wire
	w.Reset(src)
	r := gateway.OpenRequest{
		RequestID: w.Str(), TenantID: w.Str(), Model: w.Str(), StartedTS: w.Int(), PromptTokens: w.Int(),
	}
	return r, w.Done()
}

type recordCodec struct{}

func (recordCodec) Append(dst []byte, r gateway.RequestRecord) []byte {
	dst = stream.AppendString(dst, r.RequestID)
	dst = stream.AppendString(dst, r.TenantID)
	dst = stream.AppendString(dst, r.Model)
	dst = stream.AppendString(dst, r.Status)
	for _, n := range [...]int64{r.StartedTS, r.CompletedTS, r.LatencyMS, r.PromptTokens, r.CompletionTokens} {
		dst = stream.AppendInt(dst, n)
	}
	return dst
}

func (recordCodec) Decode(src []byte) (gateway.RequestRecord, error) {
	var w stream.Wire
	w.Reset(src)
	r := gateway.RequestRecord{
		RequestID: w.Str(), TenantID: w.Str(), Model: w.Str(), Status: w.Str(),
		StartedTS: w.Int(), CompletedTS: w.Int(), LatencyMS: w.Int(), PromptTokens: w.Int(), CompletionTokens: w.Int(),
	}
	return r, w.Done()
}

type totalCodec struct{}

func (totalCodec) Append(dst []byte, t Total) []byte {
	return stream.AppendInt(stream.AppendInt(dst, t.Seq), int64(t.Sum))
}

func (totalCodec) Decode(src []byte) (Total, error) {
	var w stream.Wire
	w.Reset(src)
	t := Total{Seq: w.Int(), Sum: gateway.NanoUSD(w.Int())}
	return t, w.Done()
}

type priceCodec struct{}

func (priceCodec) Append(dst []byte, p gateway.Price) []byte {
	return stream.AppendInt(stream.AppendInt(dst, int64(p.Input)), int64(p.Output))
}

func (priceCodec) Decode(src []byte) (gateway.Price, error) {
	var w stream.Wire
	w.Reset(src)
	p := gateway.Price{Input: gateway.NanoUSD(w.Int()), Output: gateway.NanoUSD(w.Int())}
	return p, w.Done()
}
