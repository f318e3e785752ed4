package work_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/bench/work"
)

func TestTenantTable(t *testing.T) {
	table, total := work.TenantTable()
	require.EqualValues(t, 5572829, total, "the sum of the weights, WORK.md section 4")
	require.Equal(t, "d5bd0ec1f8e830ac", fmt.Sprintf("%016x", work.TableHash(table)), "tableHash, WORK.md section 4")
}

func TestFirstEvents(t *testing.T) {
	g := work.NewEvents(1000, work.DefaultSeed)
	want := []work.Event{
		{ID: "r-0", Tenant: "tenant-0006", Model: 1, Prompt: 2038, TS: work.T0},
		{ID: "r-1", Tenant: "tenant-0029", Model: 1, Prompt: 392, TS: work.T0 + 1},
		{ID: "r-2", Tenant: "tenant-0000", Model: 0, Prompt: 549, TS: work.T0 + 2},
	}
	for _, w := range want {
		var got work.Event
		require.True(t, g.Next(&got))
		require.Equal(t, w, got)
	}
}

// TestEventsArePaired recounts the input in the plainest way: what the job relies on holds.
func TestEventsArePaired(t *testing.T) {
	const requests = 20_000
	g := work.NewEvents(requests, work.DefaultSeed)
	started := map[string]int64{}
	completed, events, maxTS := 0, int64(0), int64(0)
	for e := (work.Event{}); g.Next(&e); events++ {
		require.False(t, maxTS-e.TS >= work.Disorder, "event %d is later than the watermark allows", events)
		maxTS = max(maxTS, e.TS)
		at, open := started[e.ID]
		if e.Kind == work.Started {
			require.False(t, open, "event %d starts %s again", events, e.ID)
			started[e.ID] = e.TS
			continue
		}
		require.True(t, open && e.TS > at && e.TS < at+work.TimeoutMS, "event %d completes %s, which started at %d", events, e.ID, at)
		delete(started, e.ID)
		completed++
	}
	abandoned := work.Abandoned(requests, work.DefaultSeed)
	require.EqualValues(t, abandoned, len(started))
	require.EqualValues(t, requests-abandoned, completed)
	require.Equal(t, 2*requests-abandoned, events)
}
