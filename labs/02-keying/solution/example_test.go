package keying_test

import (
	"fmt"
	"math/rand/v2"

	"gatewaymeter/gateway"
	"gatewaymeter/internal/kit/aloud"
	keying "gatewaymeter/labs/02-keying/solution"
	"gatewaymeter/stream"
)

// A thousand requests, each a start and a completion, go to four subtasks that pair them by key. Under
// the request id all are billed. With a random digit behind it, a request's two events look for each
// other under two keys, and nine times in ten miss.
func ExampleNewExchange() {
	defer aloud.Print()()
	pairing("request id", func(e gateway.Event) string { return e.RequestID })
	random := rand.New(rand.NewPCG(1, 1))
	pairing("salted", func(e gateway.Event) string { return fmt.Sprintf("%s-%d", e.RequestID, random.IntN(10)) })
	// Output:
	// request id: 1000 paired, 0 open for ever, 0 unmatched; billed $15.000000000 of $15.000000000
	// salted: 106 paired, 894 open for ever, 894 unmatched; billed $1.590000000 of $15.000000000
}

// pairing sends the requests through an exchange, and pairs them where they arrive.
func pairing(name string, keyOf func(gateway.Event) string) {
	const requests, subtasks = 1000, 4
	price := gateway.ListPrices()["model-a"]
	groups, err := keying.NewGroups(128)
	if err != nil {
		fmt.Println(err)
		return
	}
	owner := make([]int, groups.Max())
	for group := range owner {
		owner[group] = groups.Owner(group, subtasks)
	}

	// The key travels beside the event here, so that a selector is asked once for each event.
	type keyed struct {
		key   string
		event gateway.Event
	}
	x := keying.NewExchange(func(k keyed) int { return groups.Of(keying.HashString(k.key)) }, owner)
	out := make([]*stream.Batch[keyed], subtasks)
	for i := range out {
		out[i] = &stream.Batch[keyed]{}
	}
	for _, kind := range []gateway.EventType{gateway.RequestStarted, gateway.RequestCompleted} {
		for i := range requests {
			e := gateway.Event{Type: kind, RequestID: fmt.Sprintf("r-%d", i), PromptTokens: 2000, CompletionTokens: 1000}
			x.Split([]stream.Record[keyed]{{Value: keyed{keyOf(e), e}}}, out)
		}
	}

	paired, unmatched, open := 0, 0, map[string]bool{}
	for _, batch := range out {
		for _, r := range batch.Records {
			switch {
			case r.Value.event.Type == gateway.RequestStarted:
				open[r.Value.key] = true
			case open[r.Value.key]:
				delete(open, r.Value.key)
				paired++
			default:
				unmatched++
			}
		}
	}
	cost := price.Cost(2000, 1000)
	fmt.Printf("%s: %d paired, %d open for ever, %d unmatched; billed %v of %v\n",
		name, paired, len(open), unmatched, cost*gateway.NanoUSD(paired), cost*requests)
}
