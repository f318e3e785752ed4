// Package generator makes the traffic of an LLM gateway: seeded messages for topic gateway-events, with
// every anomaly that a billing job must survive, and a count of each, so that the truth is known.
//
// It is a discrete-event simulation. Requests start one after another; each is given its whole life at
// once (tenant, model, tokens, duration, and what goes wrong), as events with two times: ts, when it
// happened at the gateway, and the time at which it reaches the log. A queue orders them by the latter,
// and [Generator.Next] takes the next one out.
//
// What it promises, so that a job's results are functions of its input (rules G1 to G6 of
// docs/design.md §7; B is Params.Bound, D is Params.DuplicateWithin):
//
//   - The same Params give the same bytes, on every machine. Nothing else goes in: no clock, no map
//     order, no floating-point function that machines disagree on.
//   - Every message has a key, and all messages of a key belong in one partition, for which
//     [PartitionOf] is the rule. The number of partitions is no parameter of the content.
//   - A request has at most one Started and one Completed event, the latter with the greater ts, and
//     in that order in the log. Exceptions are counted: reversals, whose latency is at most B.
//   - An event lags at most B behind the greatest ts before it. Exception, off by default: with a rate
//     of LagAboveBound, a Completed event lags more, but still comes before the watermark can reach
//     five minutes after its start.
//   - A duplicate has the bytes of its first, and comes while the greatest ts is at most D past its own.
//   - A malformed message has no other effect, since it belongs to no event, whatever its bytes name.
//
// Which requests an anomaly hits is not left to chance alone: at a rate of 1 % it hits one in every
// hundred, at a place that the seed picks. So a run of 1/rate requests or more has each at least once.
//
// [Shuffle] gives another order that follows the same rules, for tests whose result must not depend on
// it. [Writer] and [Reader] keep messages in a file. [NewTransactions] does the same for topic
// card-transactions.
//
// It leaves to others what the messages are worth (package oracle) and how they get to a broker.
package generator
