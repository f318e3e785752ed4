package keying

import "unicode/utf16"

// The functions of this file are Java's hashCode for the types that keys have, because Flink starts
// from it. They all wrap around at 32 bits, as Java's int does.

// HashString is s[0]*31^(n-1) + s[1]*31^(n-2) + ... + s[n-1] over the UTF-16 code units of s, since
// those are what a Java string is made of. A character past U+FFFF counts as two units, the halves of
// its surrogate pair. The empty string is 0.
//
// Java cannot hold a string that is not valid UTF-8; here each byte that does not decode counts as one
// U+FFFD, as `for range` reads it. Such keys may share a hash but are never confused: state is stored
// under the key itself.
func HashString(s string) int32 {
	//lab:begin 2b
	h := int32(0)
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return hashUTF16(h, s[i:])
		}
		h = 31*h + int32(s[i]) // an ASCII byte is its own code unit
	}
	return h
	//lab:end
}

//lab:begin 2b

// hashUTF16 goes on with h over the rest of a string that is not all ASCII.
func hashUTF16(h int32, s string) int32 {
	for _, r := range s {
		if high, low := utf16.EncodeRune(r); r > 0xFFFF {
			h = 31*h + int32(high)
			r = low
		}
		h = 31*h + int32(r)
	}
	return h
}

//lab:end

// HashInt32 is Java's Integer.hashCode: the number itself.
func HashInt32(v int32) int32 {
	//lab:begin 2b
	return v
	//lab:end
}

// HashInt64 is Java's Long.hashCode: the upper 32 bits xor the lower 32.
func HashInt64(v int64) int32 {
	//lab:begin 2b
	return int32(v ^ int64(uint64(v)>>32))
	//lab:end
}

// HashBool is Java's Boolean.hashCode: 1231 for true, 1237 for false.
func HashBool(v bool) int32 {
	//lab:begin 2b
	if v {
		return 1231
	}
	return 1237
	//lab:end
}

// HashTuple2 is the hash of a pair whose parts have the hashes h0 and h1, as Flink's Tuple2 has it:
// 31*h0 + h1.
func HashTuple2(h0, h1 int32) int32 {
	//lab:begin 2b
	return 31*h0 + h1
	//lab:end
}
