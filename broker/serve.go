package broker

import "context"

// Serve runs an embedded broker until ctx is done, and then closes it: `lab broker` in a function.
// started is called once it listens, with its address (HOST:PORT, loopback).
//
// A port that is taken, and a data directory that another broker uses, are errors that say how to
// choose another. With a data directory, what was acknowledged before a kill is there again.
func Serve(ctx context.Context, o EmbeddedOptions, started func(addr string)) error {
	e, err := StartEmbedded(o)
	if err != nil {
		return err
	}
	if started != nil {
		started(e.Addr())
	}
	<-ctx.Done()
	return e.Close()
}
