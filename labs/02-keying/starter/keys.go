package keying

import (
	"encoding/binary"
	"fmt"

	"gatewaymeter/stream"
)

// Keys of the four types that a stream may be keyed by. Each hashes as Flink hashes it, and is written
// down so that encoded keys sort as the keys do: a string as it is, a number in big-endian bytes with
// its sign bit flipped, a bool as one byte.
//
// There are none for floats (NaN is not equal to itself, and 0.0 and -0.0 are equal but differ in
// bits), nor for pointers, slices or structs, whose hash would not be the same in another process.
var (
	StringKeys stream.Keys[string] = stringKeys{}
	Int32Keys  stream.Keys[int32]  = int32Keys{}
	Int64Keys  stream.Keys[int64]  = int64Keys{}
	BoolKeys   stream.Keys[bool]   = boolKeys{}
)

type stringKeys struct{}

func (stringKeys) Hash(key string) int32                 { return HashString(key) }
func (stringKeys) Encode(key string) string              { return key }
func (stringKeys) Decode(encoded string) (string, error) { return encoded, nil }

type int32Keys struct{}

func (int32Keys) Hash(key int32) int32 { return HashInt32(key) }

func (int32Keys) Encode(key int32) string {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(key)^1<<31)
	return string(b[:])
}

func (int32Keys) Decode(encoded string) (int32, error) {
	if len(encoded) != 4 {
		return 0, badKey(encoded, "a 32-bit number is 4 bytes")
	}
	return int32(binary.BigEndian.Uint32([]byte(encoded)) ^ 1<<31), nil
}

type int64Keys struct{}

func (int64Keys) Hash(key int64) int32    { return HashInt64(key) }
func (int64Keys) Encode(key int64) string { return string(stream.Int64.Append(nil, key)) }

func (int64Keys) Decode(encoded string) (int64, error) {
	if len(encoded) != 8 {
		return 0, badKey(encoded, "a 64-bit number is 8 bytes")
	}
	return stream.Int64.Decode([]byte(encoded))
}

type boolKeys struct{}

func (boolKeys) Hash(key bool) int32    { return HashBool(key) }
func (boolKeys) Encode(key bool) string { return string(stream.Bool.Append(nil, key)) }

func (boolKeys) Decode(encoded string) (bool, error) {
	if encoded != "\x00" && encoded != "\x01" {
		return false, badKey(encoded, "a bool is one byte, 0 or 1")
	}
	return encoded == "\x01", nil
}

// badKey says what an encoded key should have been. It wraps stream.ErrCorrupt.
func badKey(encoded, rule string) error {
	return fmt.Errorf("%w: %s, and this key has %d: %.40q", stream.ErrCorrupt, rule, len(encoded), encoded)
}
