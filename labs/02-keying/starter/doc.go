// Package keying places keys: it gives each key a hash, each hash a key group, each group a subtask,
// and each record of a keyed stream the way there.
//
//	key ──hash──► int32 ──murmur, mod max──► key group ──group·p/max──► subtask
//	"req-0042"    -17…                        0 … max-1                  0 … p-1
//
// The arithmetic is Flink's, number for number ([HashString], [KeyGroup], [Range]), so that a job of
// ours and a job on Flink put the same key into the same group. Every function but the exchange is pure.
//
// It promises that the records of one key meet in one subtask and keep their order. It leaves to others
// who calls the exchange (package engine), and what is stored under a key (lab 03).
package keying
