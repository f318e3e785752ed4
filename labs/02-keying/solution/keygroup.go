package keying

import (
	"fmt"
	"math/bits"

	"gatewaymeter/stream"
)

// MaxGroups is the largest number of key groups that a job may have.
const MaxGroups = 1 << 15

// KeyGroup is the key group of a key with that hash: its murmur hash modulo max, the number of groups,
// which is 1 to MaxGroups. The group of a key never changes while max stays the same, whatever the
// parallelism; state moves between subtasks in whole groups.
func KeyGroup(hash int32, max int) int {
	//lab:begin 2c
	return int(uint32(Murmur(hash)) % uint32(max)) // 32-bit division is cheaper, and this is run per record
	//lab:end
}

// Murmur is Flink's scrambling of a hash: one round of murmur3 over the 32 bits and its finish, made
// not negative. Java's hashCode needs it, since the hashes of "a", "b", "c" are neighbours.
//
// With all arithmetic modulo 2^32: multiply by 0xcc9e2d51; rotate left by 15; multiply by 0x1b873593;
// rotate left by 13; multiply by 5 and add 0xe6546b64; xor with 4 (the length in bytes). Then the
// finish: xor with itself shifted right by 16; multiply by 0x85ebca6b; xor with itself shifted right by
// 13; multiply by 0xc2b2ae35; xor with itself shifted right by 16. The shifts bring in zeros. Read as a
// signed number, a negative result is negated, and the one that has no positive counterpart is 0.
func Murmur(hash int32) int32 {
	//lab:begin 2c
	h := bits.RotateLeft32(uint32(hash)*0xcc9e2d51, 15) * 0x1b873593
	h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
	h ^= 4
	h = finish(h)
	v := int32(h)
	return max(v, -v, 0) // the minimum is its own negative; and no branch that the processor must guess
	//lab:end
}

//lab:begin 2c

// finish spreads every bit of the input over all bits of the output.
func finish(h uint32) uint32 {
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}

//lab:end

// DefaultMaxParallelism is how many key groups an operator of that parallelism has if nobody says
// otherwise: one and a half times the parallelism (the half rounded down), rounded up to a power of
// two, but at least 128 and at most MaxGroups. It leaves room to grow, because a job cannot change its
// number of key groups and keep its state.
func DefaultMaxParallelism(parallelism int) int {
	//lab:begin 2c
	wanted := uint(parallelism + parallelism/2)
	power := 1 << bits.Len(wanted-1)
	return min(max(power, 128), MaxGroups)
	//lab:end
}

// NewGroups places keys in max key groups. It refuses a max outside 1 to MaxGroups.
func NewGroups(max int) (stream.Groups, error) {
	if max < 1 || max > MaxGroups {
		return nil, fmt.Errorf("%d key groups: there must be 1 to %d (the maximum parallelism of the job)", max, MaxGroups)
	}
	return groups{max}, nil
}

type groups struct{ max int }

func (g groups) Max() int                         { return g.max }
func (g groups) Of(hash int32) int                { return KeyGroup(hash, g.max) }
func (g groups) Owner(group, parallelism int) int { return Owner(group, parallelism, g.max) }
func (g groups) Range(subtask, parallelism int) (first, last int) {
	return Range(subtask, parallelism, g.max)
}
