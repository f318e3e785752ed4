// Package operators is lab 03: operators that remember, and the memory they remember in.
//
// It holds three things. The operators of the job: [NewAssembler] pairs a request's two events,
// [NewTenantCost] adds up what each tenant owes, [NewDedupe] drops what was delivered twice,
// [NewPricing] prices by a table that arrives as a stream. The keyed state that they use: [NewHeap]
// with its five kinds of cells, and [NewTTL], which lets the entries of any backend expire. And the
// state that belongs to no key: [NewOperatorStore], dealt out anew by [Redistribute].
//
// It promises what the contracts of package stream say of each part, with Flink's rules for null,
// empty and expired. It leaves to others how elements get here (labs 01 and 02), how long an open
// request may wait (lab 06), and how a snapshot reaches a disk (lab 07).
package operators
