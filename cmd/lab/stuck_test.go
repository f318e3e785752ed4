package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Stacks as they are when a job is interrupted: the command waits, a task is in a function of an exercise,
// one waits for elements, one closes a database, one writes a file.
const stacksOfAJob = `goroutine 1 [chan receive]:
gatewaymeter/engine.(*Execution).Wait(0xc000168000)
	/src/engine/live.go:86 +0x2c
main.(*runFlags).run(0xc0001a2000, 0xc0001b2008)
	/src/cmd/lab/run.go:130 +0x5a

goroutine 36 [running]:
gatewaymeter/labs/06-timers/solution.(*Set[...]).Advance(...)
	/src/labs/06-timers/starter/advance.go:17
gatewaymeter/labs/06-timers/solution.(*RequestAssembler).OnTimer(0xc0001, {0x5, {0xc0002, 0x3}}, {0x1, 0xc0003})
	/src/labs/06-timers/starter/assembler.go:80 +0x1d
gatewaymeter/engine.(*keyed[...]).fire(0xc0004, 0x5)
	/src/engine/keyed.go:60 +0x1d
gatewaymeter/engine.(*Execution).task(0xc000168000, {0x1, 0xc0005}, 0x2)
	/src/engine/live.go:170 +0x99
created by sync.(*WaitGroup).Go in goroutine 35
	/go/src/sync/waitgroup.go:238 +0x73

goroutine 37 [sync.Cond.Wait]:
sync.(*Cond).Wait(0xc0006)
	/go/src/sync/cond.go:71 +0x1d
gatewaymeter/engine.(*inbox).take(0xc0007, {0x0, 0x0, 0x0}, 0x1)
	/src/engine/inbox.go:60 +0x1d

goroutine 39 [sync.Cond.Wait, 2 minutes]:
sync.(*Cond).Wait(0xc0010)
	/go/src/sync/cond.go:71 +0x1d
github.com/cockroachdb/pebble/v2.(*DB).Close(0xc0011)
	/go/pkg/mod/github.com/cockroachdb/pebble/v2@v2.1.0/db.go:1700 +0x1d
gatewaymeter/labs/03-stateful-operators/serialised.(*store).close(0xc0012)
	/src/labs/03-stateful-operators/serialised/store.go:200 +0x1d
gatewaymeter/engine.(*Task).Close(0xc0013)
	/src/engine/task.go:90 +0x1d

goroutine 38 [syscall]:
os.(*File).Sync(0xc0008)
	/go/src/os/file_posix.go:169 +0x1d
gatewaymeter/labs/07-checkpoints/solution.(*Store).Part(0xc0009, 0x1)
	/src/labs/07-checkpoints/solution/store.go:90 +0x1d
gatewaymeter/engine.(*coordination).part(0xc000a, 0x1)
	/src/engine/checkpoints.go:40 +0x1d
`

func TestCallsThatHaveNotReturnedAreFound(t *testing.T) {
	require.Equal(t, []call{{
		is:       "goroutine 36 gatewaymeter/labs/06-timers/solution.(*RequestAssembler).OnTimer(0xc0001, {0x5, {0xc0002, 0x3}}, {0x1, 0xc0003})gatewaymeter/engine.(*keyed[...]).fire(0xc0004, 0x5)",
		function: "Set.Advance",
		at:       "/src/labs/06-timers/starter/advance.go:17",
	}}, callsIn(stacksOfAJob))
	require.Equal(t, "RequestAssembler.ProcessElement", functionOf("gatewaymeter/labs/03-x/solution.(*RequestAssembler).ProcessElement(0x1, {0x2})"))
	require.Equal(t, "Decode", functionOf("gatewaymeter/labs/01-events/solution.Decode(...)"))
	require.Equal(t, "Operator.Process.func1", functionOf("gatewaymeter/labs/04-windows/solution.(*Operator[...]).Process.func1()"))
}
