package engine

import (
	"encoding/binary"
	"encoding/hex"
	"math/bits"
)

// OperatorID is the name under which Flink keeps the state of the operator with that uid, in 32 hex
// digits: murmur3 with 128 bits (the x64 form, seed 0) over the uid's UTF-8 bytes, both halves written
// little-endian (Flink: StreamGraphHasherV2). A snapshot of ours and a savepoint of Flink's can so be
// held against each other.
func OperatorID(uid string) string {
	h1, h2 := murmur128([]byte(uid))
	var id [16]byte
	binary.LittleEndian.PutUint64(id[:8], h1)
	binary.LittleEndian.PutUint64(id[8:], h2)
	return hex.EncodeToString(id[:])
}

const (
	murmurC1 = 0x87c37b91114253d5
	murmurC2 = 0x4cf5ad432745937f
)

func murmur128(b []byte) (h1, h2 uint64) {
	n := uint64(len(b))
	for ; len(b) >= 16; b = b[16:] {
		h1 ^= mixLow(binary.LittleEndian.Uint64(b))
		h1 = (bits.RotateLeft64(h1, 27)+h2)*5 + 0x52dce729
		h2 ^= mixHigh(binary.LittleEndian.Uint64(b[8:]))
		h2 = (bits.RotateLeft64(h2, 31)+h1)*5 + 0x38495ab5
	}
	var tail [16]byte // what is left over, filled up with zeros
	copy(tail[:], b)
	h1 ^= mixLow(binary.LittleEndian.Uint64(tail[:8]))
	h2 ^= mixHigh(binary.LittleEndian.Uint64(tail[8:]))

	h1, h2 = h1^n, h2^n
	h1 += h2
	h2 += h1
	h1, h2 = finish(h1), finish(h2)
	h1 += h2
	h2 += h1
	return h1, h2
}

func mixLow(k uint64) uint64  { return bits.RotateLeft64(k*murmurC1, 31) * murmurC2 }
func mixHigh(k uint64) uint64 { return bits.RotateLeft64(k*murmurC2, 33) * murmurC1 }

func finish(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
