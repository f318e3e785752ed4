// Package picture draws the pictures of the chapters, as SVG, from traces of the engine.
//
// A picture is not drawn by hand: it has a script in docs/pictures, package scene plays the script on
// the labs' solutions, and what the trace says is what is drawn. So a picture cannot show what the
// engine does not do, and a test fails when it has fallen behind:
//
//	go tool lab docs pictures            # play every script, write traces and pictures
//	go tool lab docs pictures --check    # say which have fallen behind
//	go tool lab docs pictures --trace 04-lateness   # the trace behind a picture, as JSON
//
// It promises plain SVG: no scripts, no fonts or files from elsewhere, a title and a description for
// readers who cannot see it, colours for light and for dark, and no label over another (a test looks).
// There are five kinds, each a file: board.go (event time to the right, what arrives down the page),
// lives.go (how long keys have state), storm.go (timers in slices), channels.go (barriers), replay.go (a
// log read twice). It leaves the words of the chapters to docs/.
package picture
