package lab03_test

import (
	"fmt"
	"slices"
	"testing"

	"gatewaymeter/gateway"
	"gatewaymeter/harness"
	"gatewaymeter/internal/kit/suite"
	operators "gatewaymeter/labs/03-stateful-operators/starter"
	"gatewaymeter/stream"
)

// elements writes what each old subtask reported, from names; nil stays nil.
func elements(old [][]string) (out [][][]byte) {
	for _, names := range old {
		var es [][]byte
		if names != nil {
			es = [][]byte{}
		}
		for _, n := range names {
			es = append(es, []byte(n))
		}
		out = append(out, es)
	}
	return out
}

func names(dealt [][][]byte) string {
	out := [][]string{}
	for _, es := range dealt {
		row := []string{}
		for _, e := range es {
			row = append(row, string(e))
		}
		out = append(out, row)
	}
	return fmt.Sprint(out)
}

// Test3i: Operator list state: a buffering sink; even-split and union; IsRestored (35 min)
func Test3i(t *testing.T) {
	suite.Exercise(t, "3i", func(t *testing.T) {
		suite.Sub(t, "elements are dealt out", func(t *testing.T) {
			seven := [][]string{{"0.0", "0.1", "0.2"}, {"1.0", "1.1"}, {"2.0", "2.1"}}
			for _, c := range []struct {
				mode        stream.Redistribution
				old         [][]string
				parallelism int
				want        string
			}{
				{stream.EvenSplit, seven, 2, "[[0.0 0.1 0.2 1.0] [1.1 2.0 2.1]]"},
				{stream.EvenSplit, seven, 5, "[[0.0 0.1] [0.2 1.0] [1.1] [2.0] [2.1]]"},
				{stream.EvenSplit, seven, 3, "[[0.0 0.1 0.2] [1.0 1.1] [2.0 2.1]]"},
				{stream.EvenSplit, [][]string{{"0.0", "0.1"}, {}}, 2, "[[0.0 0.1] []]"},
				{stream.EvenSplit, [][]string{{"0.0"}}, 3, "[[0.0] [] []]"},
				{stream.EvenSplit, [][]string{nil, {"1.0"}}, 1, "[[1.0]]"},
				{stream.Union, [][]string{{"0.0"}, {"1.0"}}, 3, "[[0.0 1.0] [0.0 1.0] [0.0 1.0]]"},
				{stream.Union, [][]string{{"0.0"}, {"1.0"}}, 2, "[[0.0 1.0] [0.0 1.0]]"},
			} {
				got := names(operators.Redistribute(c.mode, elements(c.old), c.parallelism))
				suite.Equal(t, c.want, got, suite.Failure{
					Says:  "split: one list in the order of the old subtasks, cut into equal shares, the first ones larger; unchanged parallelism moves nothing. Union: all to all",
					Input: fmt.Sprintf("%v of %v over %d subtasks", c.mode, c.old, c.parallelism),
				})
			}
		})
		suite.Sub(t, "the buffer is handed on in batches, and at the end", func(t *testing.T) {
			h := harness.NewFunction(t, parts(t), operators.NewBuffering(3, stream.String), harness.Inputs(1), harness.WithTrace())
			for _, v := range []string{"a", "b", "c", "d"} {
				h.ProcessElement(v, 0)
			}
			got := fmt.Sprint(h.Values())
			if got == "[[d b c]]" {
				suite.Wrong(t, suite.Failure{
					Says:  "a batch changed after it had been handed on: it belongs to whoever got it, so the next one needs a slice of its own",
					Input: "a, b, c, d with size 3", Got: got, Want: "[[a b c]]",
				})
			}
			suite.Equal(t, "[[a b c]]", got, suite.Failure{Says: "a batch goes when it is full, and not before", Input: "a, b, c, d with size 3", Of: h})
			h.ProcessControl(0, stream.Control{Kind: stream.EndOfInput})
			suite.Equal(t, "[[d]]", fmt.Sprint(h.Values()), suite.Failure{Says: "what is left when the input ends is handed on then, or it is lost", Input: "a, b, c, d with size 3, then the end of input", Of: h})
		})
		suite.Sub(t, "with nothing left the end hands on nothing", func(t *testing.T) {
			h := harness.NewFunction(t, parts(t), operators.NewBuffering(2, stream.String), harness.Inputs(1), harness.WithTrace())
			h.ProcessElement("a", 0)
			h.ProcessElement("b", 0)
			h.Values()
			h.ProcessControl(0, stream.Control{Kind: stream.EndOfInput})
			suite.Equal(t, "[]", fmt.Sprint(h.Values()), suite.Failure{Says: "an empty batch is a call that somebody pays for", Input: "a, b with size 2, then the end of input", Of: h})
		})
		suite.Sub(t, "what is gathered survives, at any parallelism", bufferSurvives)
		suite.Sub(t, "the opening elements come once in the life of the job", func(t *testing.T) {
			first := harness.NewFunction(t, parts(t), operators.NewBuffering(10, stream.String, "header"))
			second := harness.NewFunction(t, parts(t), operators.NewBuffering(10, stream.String, "header"), harness.At(1, 2))
			suite.Equal(t, "[header]", fmt.Sprint(buffered(first)), suite.Failure{Says: "a fresh job's subtask 0 begins with the opening elements", Input: "a fresh start"})
			suite.Equal(t, "[]", fmt.Sprint(buffered(second)), suite.Failure{Says: "only subtask 0 has the opening elements", Input: "a fresh start of subtask 1"})
			again := harness.NewFunction(t, parts(t), operators.NewBuffering(10, stream.String, "header"), harness.From(first.Snapshot()))
			suite.Equal(t, "[header]", fmt.Sprint(buffered(again)), suite.Failure{
				Says: "after a restore the opening elements are in the state, or were handed on long ago: c.Restored tells", Input: "a restore of a buffer that holds [header]",
			})
		})
	})
}

// buffered is what a buffering function's snapshot holds.
func buffered(h *harness.Function[string, []string]) []string {
	out := []string{}
	for _, l := range h.Snapshot().Lists {
		for _, e := range l.Elements {
			out = append(out, string(e))
		}
	}
	return out
}

func bufferSurvives(t *testing.T) {
	var snapshots []harness.Snapshot
	for subtask := range 2 {
		h := harness.NewFunction(t, parts(t), operators.NewBuffering(10, stream.String), harness.At(subtask, 2))
		h.Snapshot() // an earlier one must not be added to
		for i := range 3 {
			h.ProcessElement(fmt.Sprintf("%d.%d", subtask, i), 0)
		}
		h.Snapshot()
		snapshots = append(snapshots, h.Snapshot())
	}
	for _, parallelism := range []int{1, 2, 4} {
		var all []string
		for subtask := range parallelism {
			h := harness.NewFunction(t, parts(t), operators.NewBuffering(10, stream.String), harness.At(subtask, parallelism), harness.From(snapshots...))
			all = append(all, buffered(h)...)
		}
		slices.Sort(all)
		suite.Equal(t, []string{"0.0", "0.1", "0.2", "1.0", "1.1", "1.2"}, all, suite.Failure{
			Says:  "each gathered element must be in exactly one buffer after the restore",
			Input: fmt.Sprintf("two subtasks with three elements each, three snapshots taken, restored at parallelism %d", parallelism),
		})
	}
}

// Test3j: Broadcast price table: read-write on one side, read-only on the other (30 min, optional)
func Test3j(t *testing.T) {
	suite.Exercise(t, "3j", func(t *testing.T) {
		open := func(opts ...harness.Option) *harness.Broadcast[gateway.RequestRecord, gateway.PriceChange, gateway.TenantTotal] {
			return harness.NewBroadcast(t, parts(t), byTenant, operators.NewPricing(), opts...)
		}
		record := gateway.RequestRecord{RequestID: "r-1", TenantID: "tenant-1", Model: "model-x", PromptTokens: 10, CompletionTokens: 1}
		set := gateway.PriceChange{Model: "model-x", Price: gateway.Price{Input: 3, Output: 5}}
		suite.Sub(t, "a record is billed by the table as it is now", func(t *testing.T) {
			h := open(harness.WithTrace())
			h.ProcessElement(record, 0)
			suite.Equal(t, 1, len(harness.SideOutputs(h, operators.Unpriced)), suite.Failure{Says: "a record of a model without a price goes to the side output", Input: "a record of model-x, no price known"})
			h.ProcessBroadcast(set, 0)
			h.ProcessElement(record, 0)
			suite.Equal(t, "[35]", charged(h.Values()), suite.Failure{Says: "the price has come: 10 prompt tokens at 3 and 1 at 5", Input: "a price for model-x, then a record", Of: h})
			set.Price.Input = 4
			h.ProcessBroadcast(set, 0)
			h.ProcessElement(record, 0)
			suite.Equal(t, "[45]", charged(h.Values()), suite.Failure{Says: "a change replaces the price", Input: "another price for model-x, then a record", Of: h})
			h.ProcessBroadcast(gateway.PriceChange{Model: "model-x", Withdrawn: true}, 0)
			h.ProcessElement(record, 0)
			unpriced := len(harness.SideOutputs(h, operators.Unpriced))
			suite.Equal(t, 1, unpriced, suite.Failure{
				Says: "a withdrawn price is no price: the record belongs in the side output", Input: "the price withdrawn, then a record", Of: h,
				Got: fmt.Sprintf("%d unpriced", unpriced), Want: "1 unpriced",
			})
		})
		suite.Sub(t, "the table survives, in each subtask", func(t *testing.T) {
			h := open()
			h.ProcessBroadcast(gateway.PriceChange{Model: "model-x", Price: gateway.Price{Input: 3, Output: 5}}, 0)
			snapshot := h.Snapshot()
			for subtask := range 3 {
				again := open(harness.From(snapshot), harness.At(subtask, 3))
				r := record
				for i := 0; ; i++ { // a tenant of this subtask
					r.TenantID = fmt.Sprintf("tenant-%d", i)
					if parts(t).Groups.Owner(parts(t).Groups.Of(parts(t).Hash(r.TenantID)), 3) == subtask {
						break
					}
				}
				again.ProcessElement(r, 0)
				suite.Equal(t, "[35]", charged(again.Values()), suite.Failure{Says: "every subtask has the whole table after a restore", Input: fmt.Sprintf("restored at parallelism 3, subtask %d", subtask)})
			}
		})
	})
}

func charged(totals []gateway.TenantTotal) string {
	out := []int64{}
	for _, t := range totals {
		out = append(out, int64(t.Cost))
	}
	return fmt.Sprint(out)
}
