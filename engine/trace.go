package engine

import "gatewaymeter/stream"

// noteChannels records how far every split of a source is; only called while a trace is on.
func noteChannels(c *stream.Context, part any) {
	for _, ch := range channelsOf(part) {
		noteChannel(c, ch)
	}
}

// noteInput records how far one input of the task is.
func (t *Task) noteInput(input int) {
	c := t.head.self().ctx
	if c.Trace == nil {
		return
	}
	for _, ch := range channelsOf(t.valve) {
		if ch.Channel == input {
			noteChannel(c, ch)
		}
	}
}

func noteChannel(c *stream.Context, ch stream.ChannelTime) {
	c.Note(stream.Step{Kind: stream.ChannelSeen, Input: ch.Channel, Name: ch.Status(), At: ch.Watermark})
}
