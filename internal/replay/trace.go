package replay

import (
	"strings"

	"gatewaymeter/generator"
	"gatewaymeter/stream"
	"gatewaymeter/stream/trace"
)

// mostSteps is how many steps of a run are kept.
const mostSteps = 10_000

// Traced plays the recording and keeps its steps, the last 10,000 of them.
func (r *Recording) Traced(maker Maker) (*Outcome, trace.Trace, error) {
	in, err := r.Job.Prepare(r.Messages)
	if err != nil {
		return nil, trace.Trace{}, err
	}
	recorder := trace.NewRecorder(trace.Options{Max: mostSteps})
	o, err := r.Job.RunGuarded(maker, in, recorder.Record)
	return o, recorder.Trace(), err
}

// Concerned are the steps that concern what an outcome says is wrong first: those of the tenant or
// request that it names, and of that tenant's requests. All steps that have a key, if it names none.
func (r *Recording) Concerned(o *Outcome, steps []stream.Step) (some []stream.Step) {
	keys := r.keysNamed(o.First())
	for _, s := range steps {
		if s.Key != "" && s.Kind != stream.ControlIn && (len(keys) == 0 || keys[s.Key]) {
			some = append(some, s)
		}
	}
	return some
}

// keysNamed are the keys of the job that a text names.
func (r *Recording) keysNamed(text string) map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" :,()\"", r) }) {
		words[w] = true
	}
	keys := map[string]bool{}
	for _, m := range r.Messages {
		if e, ok := generator.EventOf(m); ok && (words[e.TenantID] || words[e.RequestID]) {
			keys[e.RequestID], keys[e.TenantID] = true, true
		}
	}
	return keys
}
