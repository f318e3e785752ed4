package livecrash

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gatewaymeter/broker"
	"gatewaymeter/broker/container"
)

// build builds the program, as a user has it.
func build(t *testing.T) string {
	t.Helper()
	lab := filepath.Join(t.TempDir(), "lab")
	out, err := exec.Command("go", "build", "-o", lab, "gatewaymeter/cmd/lab").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return lab
}

// seeds is how many the clock chooses from: TestMoments looks at each of them.
const seeds = 200

// seed is another one each time, or LIVECRASH_SEED.
func seed(t *testing.T) uint64 {
	t.Helper()
	if s := os.Getenv("LIVECRASH_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		require.NoError(t, err, "LIVECRASH_SEED")
		return n
	}
	return uint64(time.Now().UnixMilli() % seeds)
}

// TestKilledAgainAndAgain: twenty processes of the job die by SIGKILL, some with their broker, each at
// another parallelism than the one before (2, 3, 1); the invoice is exact. BROKER=container or HOST:PORT has
// it run on that broker, which is killed too if it is in a container of this machine.
func TestKilledAgainAndAgain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SIGKILL and its exit status are those of unix")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 9*time.Minute)
	defer cancel()
	cfg := Defaults(build(t), t.TempDir(), seed(t))
	cfg.Broker, cfg.Log = os.Getenv("BROKER"), t.Logf
	switch cfg.Broker {
	case "embedded":
		cfg.Broker = ""
	case "container":
		b, err := broker.Open(ctx, cfg.Broker, broker.Options{Container: container.Start})
		require.NoError(t, err)
		defer b.Close()
		cfg.Broker = b.Addr()
	}
	if cfg.Broker != "" {
		cfg.BrokerKills = 1 // a real one takes its time to come back, and a job as long to give it up
	}
	t.Logf("on %s; again with: LIVECRASH_SEED=%d BROKER=%s go test ./internal/livecrash -count=1 -v", cfg.Backend, cfg.Seed, os.Getenv("BROKER"))
	r, err := Run(ctx, cfg)
	require.NoError(t, err)

	require.Len(t, r.Lives, cfg.Kills)
	require.GreaterOrEqual(t, r.Killed(), cfg.Kills-cfg.BrokerKills, "only a job whose broker died may end by itself")
	damaged := 0
	for i, l := range append(r.Lives[1:], r.Last) {
		before := r.Lives[i]
		require.Equal(t, before.Next, l.From, "life %d starts where lab checkpoint says", i+2)
		require.NotEqual(t, before.Parallelism, l.Parallelism)
		if before.Damaged != 0 {
			damaged++
			require.Less(t, l.From, before.Damaged)
			continue
		}
		require.GreaterOrEqual(t, l.From, before.Latest, "life %d starts from the newest checkpoint of the one before", i+2)
		require.LessOrEqual(t, l.From, before.Latest+1, "life %d: one may be complete and not told of when the kill comes", i+2)
	}
	require.Positive(t, r.Lives[0].Checkpoints, "the first kill came after a complete checkpoint")
	require.Positive(t, r.Left, "the traffic was at its end before the last kill: choose more")
	require.Positive(t, r.Verdict.Repeated, "no line was written twice: no restore had anything to do again")

	require.Equal(t, "match", r.Verdict.Oracle)
	require.Empty(t, r.Verdict.Differences)
	require.EqualValues(t, cfg.Requests, r.Verdict.Said.Requests)
	require.Positive(t, r.Verdict.Cards.Alerts)
	require.Zero(t, r.Verdict.Said.OpenEntries)
	require.Zero(t, r.Verdict.Said.Timers)
	t.Logf("%d killed, %d checkpoints damaged, %d lines written twice, %d events, %d of them after the last kill", r.Killed(), damaged, r.Verdict.Repeated, r.Verdict.Said.Events, r.Left)
}

// Every seed has kills of every kind that it can have, and the first kill is not in a restore.
func TestMoments(t *testing.T) {
	for seed := range uint64(seeds) {
		all := moments(seed, 20, 3)
		require.Equal(t, all, moments(seed, 20, 3))
		require.NotEqual(t, InRestore, all[0].Kind)
		require.NotEqual(t, WithBroker, all[0].Kind)
		require.True(t, slices.ContainsFunc(all, func(m Moment) bool { return m.Kind == WithBroker }), "seed %d", seed)
		for _, m := range all {
			require.True(t, m.Kind == InRestore || m.Checkpoints > 0)
		}
	}
}
