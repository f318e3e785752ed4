package lab02_test

import "unicode/utf16"

// The arithmetic once more, the slow and plain way, from Flink's own definitions: whole numbers of any
// size, cut to 32 bits after each step. The suite judges the student's code by it.

const two32 = 1 << 32

// plainHash is Java's String.hashCode.
func plainHash(s string) int32 {
	h := int64(0)
	for _, unit := range utf16.Encode([]rune(s)) {
		h = (31*h + int64(unit)) % two32
	}
	return int32(uint32(h))
}

// plainGroup is KeyGroupRangeAssignment.computeKeyGroupForKeyHash.
func plainGroup(hash int32, groups int) int { return int(plainMurmur(hash)) % groups }

// plainMurmur is MathUtils.murmurHash.
func plainMurmur(hash int32) int64 {
	h := uint64(uint32(hash))
	h = times(h, 0xcc9e2d51)
	h = rotate(h, 15)
	h = times(h, 0x1b873593)
	h = rotate(h, 13)
	h = (times(h, 5) + 0xe6546b64) % two32
	h ^= 4
	h ^= h / (1 << 16)
	h = times(h, 0x85ebca6b)
	h ^= h / (1 << 13)
	h = times(h, 0xc2b2ae35)
	h ^= h / (1 << 16)
	switch {
	case h < two32/2:
		return int64(h)
	case h == two32/2:
		return 0
	}
	return two32 - int64(h) // h stands for h - 2^32; its negative
}

func times(a, b uint64) uint64 { return a * b % two32 }

func rotate(h uint64, by int) uint64 { return h<<by%two32 | h>>(32-by) }

// plainOwner looks for the subtask whose share of the line from 0 to groups the group falls in.
func plainOwner(group, parallelism, groups int) int {
	for subtask := range parallelism {
		if group*parallelism < (subtask+1)*groups {
			return subtask
		}
	}
	return -1
}
