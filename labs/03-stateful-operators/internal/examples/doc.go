// Package examples holds what chapter 03 runs beside the suite: why money is no float, and what a visit
// to a drawer costs. It stands here and not in solution/, so that a diff of starter and solution shows
// exercises only.
package examples
