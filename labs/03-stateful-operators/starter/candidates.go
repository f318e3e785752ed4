package operators

import (
	"gatewaymeter/gateway"
	"gatewaymeter/stream"
)

// The three operators of this file are given, for investigation 3.3. All are keyed by tenant_id, all
// pass their tests on the heap, and on the serialised backend one of them is wrong.

// ModelUse is what the three emit: what is known of a tenant and the model of its last record.
type ModelUse struct {
	TenantID string
	Model    string
	Requests int64 // of this model, or of all; see the operator
}

// NewFirstModel counts the requests of each tenant, and names the model that it used first.
func NewFirstModel() stream.KeyedFunction[gateway.RequestRecord, ModelUse] { return &firstModel{} }

type firstModel struct {
	first stream.Value[string]
	count stream.Reducing[int64]
}

func (f *firstModel) Open(c *stream.Context) error {
	f.first = stream.NewValue(c, "first", stream.String)
	f.count = stream.NewReducing(c, "count", stream.Int64, func(a, b int64) int64 { return a + b })
	return nil
}

func (f *firstModel) ProcessElement(_ *stream.Context, r gateway.RequestRecord, out stream.Collector[ModelUse]) error {
	first, ok := f.first.Get()
	if !ok {
		first = r.Model
		f.first.Update(first)
	}
	f.count.Add(1)
	n, _ := f.count.Get()
	out.Collect(ModelUse{TenantID: r.TenantID, Model: first, Requests: n})
	return nil
}

// NewModelCount counts the requests of each tenant by model.
func NewModelCount() stream.KeyedFunction[gateway.RequestRecord, ModelUse] { return &modelCount{} }

type modelCount struct {
	counts stream.Value[map[string]int64]
}

func (f *modelCount) Open(c *stream.Context) error {
	f.counts = stream.NewValue(c, "counts", stream.JSON[map[string]int64]())
	return nil
}

func (f *modelCount) ProcessElement(_ *stream.Context, r gateway.RequestRecord, out stream.Collector[ModelUse]) error {
	counts, ok := f.counts.Get()
	if !ok {
		counts = map[string]int64{}
		f.counts.Update(counts)
	}
	counts[r.Model]++
	out.Collect(ModelUse{TenantID: r.TenantID, Model: r.Model, Requests: counts[r.Model]})
	return nil
}

// NewModelHistory keeps the models of all of a tenant's requests in one value, and counts from it.
func NewModelHistory() stream.KeyedFunction[gateway.RequestRecord, ModelUse] { return &modelHistory{} }

type modelHistory struct {
	models stream.Value[[]string]
}

func (f *modelHistory) Open(c *stream.Context) error {
	f.models = stream.NewValue(c, "models", stream.JSON[[]string]())
	return nil
}

func (f *modelHistory) ProcessElement(_ *stream.Context, r gateway.RequestRecord, out stream.Collector[ModelUse]) error {
	models, _ := f.models.Get()
	models = append(models, r.Model)
	f.models.Update(models)
	var n int64
	for _, m := range models {
		if m == r.Model {
			n++
		}
	}
	out.Collect(ModelUse{TenantID: r.TenantID, Model: r.Model, Requests: n})
	return nil
}
