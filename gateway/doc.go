// Package gateway is the domain of the course: what an LLM gateway tells about its traffic,
// and what a request costs.
//
// It holds the messages as they stand in topic gateway-events ([Event]), the two records that the
// metering job makes of them ([OpenRequest], [RequestRecord]), the lines that it writes out
// ([TenantTotal], [DeadLetter]), and the price table as data ([Prices]). It promises that a value
// survives JSON unchanged, and that money is exact: see [NanoUSD].
//
// It leaves to others how bytes become events (lab 01), how events are paired (lab 03) and what a
// correct invoice is (package oracle, which shares no code with this one but reads the same topics).
// It depends on nothing.
package gateway
