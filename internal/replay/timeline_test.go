package replay

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/gateway"
	"gatewaymeter/generator"
	"gatewaymeter/pipeline"
)

var job = Job{Stage: 6, Parallelism: 2, Partitions: 3, Backend: "heap", Schedule: 7}

// TestRecordingsKeepEveryByte: a file gives back the job and the very messages, malformed ones of every
// kind included.
func TestRecordingsKeepEveryByte(t *testing.T) {
	p := generator.Default(500, 1)
	p.Malformed = 0.2
	messages := slices.Collect(generator.New(p).All())
	messages = append(messages,
		generator.NewMessage(gateway.Event{Type: gateway.RequestStarted, RequestID: "a b->c", TenantID: "=#\"ß", Model: "世界", TS: p.Start}),
		generator.NewMessage(gateway.Event{Type: gateway.RequestStarted, RequestID: "far", TenantID: "t", Model: "m", TS: 1<<53 - 1}),
		generator.Message{Key: []byte("k"), Value: []byte("a\r\n\x00\xffb"), TS: 1 << 60, Partition: generator.NoPartition},
	)
	r, err := Parse((&Recording{Job: job, Messages: messages, Notes: []string{"a note"}}).Text())
	require.NoError(t, err)
	require.Equal(t, job, r.Job)
	require.Len(t, r.Messages, len(messages))
	for i, m := range messages {
		require.True(t, bytes.Equal(m.Key, r.Messages[i].Key) && bytes.Equal(m.Value, r.Messages[i].Value) && m.TS == r.Messages[i].TS, "%q, %q", m.Value, r.Messages[i].Value)
	}
}

func TestRecordingIsReadable(t *testing.T) {
	messages, _ := DefaultTraffic(1, 1).Messages()
	o, err := job.RunMessages(pipeline.Ours, messages)
	require.NoError(t, err)
	require.True(t, o.OK(), o.First())
	require.Empty(t, o.Way())
	r := &Recording{Job: job, Messages: messages[:2], Bills: BillsOf(o.Invoice), Notes: []string{"found: nothing"}}
	require.Equal(t, `# from: the oracle, for the messages below
# found: nothing

new scene=reduced stage=06 parallelism=2 partitions=3 backend=heap schedule=7 zero=2023-11-14T22:14:00Z
started   request=r-0 tenant=tenant-0028 model=model-b t=0s prompt=5277
completed request=r-0 tenant=tenant-0028 model=model-b t=1.581s completion=442 latency=1.581s status=ok
bill tenant=tenant-0028 minute=22:14 -> 1 requests, $0.003301500
`, r.Text())
}

func TestParseNamesTheLine(t *testing.T) {
	const head = "# from: x\nnew scene=a stage=06 parallelism=2 partitions=3 backend=heap schedule=7 zero=2023-11-14T22:14:00Z\n"
	for text, why := range map[string]string{
		"":                                       "the first line must say",
		head + head[10:]:                         "2 scenes",
		strings.Replace(head, "06", "9", 1):      "line 2: stage 09",
		strings.Replace(head, "heap", "disk", 1): "line 2: backend",
		strings.Replace(head, "partitions=3 ", "", 1):                          "line 2: argument partitions: it is missing",
		head + "start request=a\n":                                             `line 3: unknown verb "start"`,
		head + "started request=a tenant=b model=c t=1\n":                      "line 3: argument t: time: missing unit",
		head + "message ts=1 key=a value=\"torn\n":                             "line 3: argument value: invalid syntax",
		head + "started request=a tenant=b model=c t=1s\n#":                    "line 3: argument prompt: it is missing",
		head + "started request=a tenant=b model=c t=1s prompt=2 -> nothing\n": "line 3: nothing is expected of a message: take -> nothing away",
		strings.Replace(head, "zero=", "partition=3 zero=", 1):                 "line 2: argument partition: new has none of that name",
		head + "started request=a tenant=b model=c t=1s prompt=2 tokens=3\n":   "line 3: argument tokens: started has none of that name, only request, tenant, model, t, prompt",
		head + "started request=a tenant=b model=c t=1s prompt=2 t=3s\n":       "line 3: argument t: it stands there twice",
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, why, "%q", text)
	}
}

// A bill that was edited, or that belongs to messages which were, is not passed over.
func TestBillsAreHeldAgainstTheOracle(t *testing.T) {
	messages, _ := DefaultTraffic(1, 1).Messages()
	o, err := job.RunMessages(pipeline.Ours, messages)
	require.NoError(t, err)
	text := (&Recording{Job: job, Messages: messages[:2], Bills: BillsOf(o.Invoice)}).Text()
	check := func(old, new string) error {
		r, err := Parse(strings.Replace(text, old, new, 1))
		require.NoError(t, err)
		return r.CheckBills()
	}
	require.NoError(t, check("", ""))
	require.NoError(t, check("bill tenant=tenant-0028 minute=22:14 ->", "bill  tenant=tenant-0028  minute=22:14  -> "))
	require.NoError(t, check("bill tenant=tenant-0028 minute=22:14 -> 1 requests, $0.003301500\n", ""), "none is missed")
	const says = "line 6: bill tenant=tenant-0028 minute=22:14 -> 1 requests, "
	require.ErrorContains(t, check("$0.003301500", "$0.003301501"), says+"$0.003301501: of the messages the oracle makes 1 requests, $0.003301500: put that there, or take the bills out")
	require.ErrorContains(t, check("prompt=5277", "prompt=5278"), says+"$0.003301500: of the messages the oracle makes 1 requests, $0.003302000")
	require.ErrorContains(t, check("minute=22:14", "minute=22:15"), "the oracle makes no such bill")
}
