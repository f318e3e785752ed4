// Package scene plays the scripts that the docs' pictures are drawn from: a golden timeline each, in
// docs/pictures.
//
//	# from: our own engine; `go tool lab docs pictures` plays it again
//	# title: A minute that is corrected
//	# desc: What a reader who cannot see the picture is told.
//	# draw: board from=0s to=2m tick=30s
//
//	window size=1m lateness=30s
//	----
//
//	element key=acme is=a t=20s
//	----
//	minute/0 element key="acme" @t=20s a
//	…
//
// The first step says which part of the engine the scene is about: it is the labs' solutions, on the
// harness or in the simulated driver. What stands below a step's dashes is the trace that it caused,
// every effect named; [Scene.Play] makes it, [Scene.Text] writes it. The layout is that of
// cockroachdb/datadriven.
//
// It leaves drawing to package picture, and the student's timelines, which name outputs only, to
// internal/kit/timeline.
package scene
