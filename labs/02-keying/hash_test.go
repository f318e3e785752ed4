package lab02_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gatewaymeter/internal/kit/suite"
	keying "gatewaymeter/labs/02-keying/starter"
)

// Test2b: HashCode: string over UTF-16 units, int32, int64, bool (25 min)
func Test2b(t *testing.T) {
	suite.Exercise(t, "2b", func(t *testing.T) {
		suite.Sub(t, "strings of ASCII", func(t *testing.T) {
			hashes(t, "each byte is one unit", []hashed{
				{"", 0}, {"a", 97}, {"b", 98}, {"key1", 3288498}, {"hello", 99162322}, {"tenant-0001", 1841602372}, {"\x7f", 127}, {"\x00", 0},
			})
		})
		suite.Sub(t, "characters past ASCII", func(t *testing.T) {
			hashes(t, "the units are UTF-16's, not the bytes of UTF-8", []hashed{
				{"é", 233}, {"e\u0301", 3900}, {"日本", 835047}, {"\u0080", 128}, {"\uffff", 65535}, {"aé", 31*97 + 233},
			})
		})
		suite.Sub(t, "characters past U+FFFF are two units", func(t *testing.T) {
			hashes(t, "a surrogate pair is two units, its high half first", []hashed{{"😀", 1772899}, {"😀😁", 1705528839}, {"x😀", plainHash("x😀")}})
		})
		suite.Sub(t, "bytes that are no text", func(t *testing.T) {
			hashes(t, "each byte that does not decode counts as one U+FFFD", []hashed{
				{"\xff", 0xFFFD}, {"a\xffb", plainHash("a\uFFFDb")}, {"\xe6\x97", plainHash("\uFFFD\uFFFD")},
			})
		})
		suite.Sub(t, "the sum wraps around at 32 bits", func(t *testing.T) {
			for _, n := range []int{6, 7, 50, 1000} {
				s := strings.Repeat("z", n)
				hashes(t, fmt.Sprintf("%d times z: Java's int overflows, and so must this", n), []hashed{{s, plainHash(s)}})
			}
		})
		suite.Sub(t, "any text", func(t *testing.T) {
			const seed = 11
			random := rand.New(rand.NewPCG(seed, 0))
			for range 500 {
				var s strings.Builder
				for range random.IntN(12) {
					s.WriteRune([]rune("ab-0éß日\uffff😀\U0010ffff")[random.IntN(10)])
				}
				hashes(t, fmt.Sprintf("a text of seed %d", seed), []hashed{{s.String(), plainHash(s.String())}})
			}
		})
		suite.Sub(t, "numbers, truth and pairs", otherHashes)
	})
}

type hashed struct {
	s    string
	want int32
}

func hashes(t *testing.T, says string, all []hashed) {
	t.Helper()
	for _, h := range all {
		suite.Equal(t, h.want, keying.HashString(h.s), suite.Failure{Says: says, Input: fmt.Sprintf("%.60q (%d bytes)", h.s, len(h.s))})
	}
}

func otherHashes(t *testing.T) {
	for _, v := range []int32{0, 1, -1, math.MinInt32, math.MaxInt32} {
		suite.Equal(t, v, keying.HashInt32(v), suite.Failure{Says: "an int32 is its own hash", Input: fmt.Sprint(v)})
	}
	for _, c := range []struct {
		v    int64
		want int32
	}{{0, 0}, {1, 1}, {-1, 0}, {-2, 1}, {1 << 32, 1}, {1<<32 + 1, 0}, {math.MinInt64, math.MinInt32}, {math.MaxInt64, math.MinInt32}, {1764480000123, -751558175}} {
		suite.Equal(t, c.want, keying.HashInt64(c.v), suite.Failure{Says: "an int64 is its upper half xor its lower half", Input: fmt.Sprint(c.v)})
	}
	suite.Equal(t, [2]int32{1231, 1237}, [2]int32{keying.HashBool(true), keying.HashBool(false)}, suite.Failure{Says: "true and false have Java's two primes"})
	suite.Equal(t, int32(31*5+7), keying.HashTuple2(5, 7), suite.Failure{Says: "the hash of a pair is 31*h0 + h1", Input: "hashes 5 and 7"})
	suite.Equal(t, int32(30), keying.HashTuple2(math.MaxInt32, math.MinInt32+61), suite.Failure{Says: "the hash of a pair wraps around", Input: "hashes 2147483647 and -2147483587"})
}
