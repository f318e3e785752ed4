package lab03_test

import (
	"fmt"
	"testing"

	"gatewaymeter/internal/kit/suite"
	operators "gatewaymeter/labs/03-stateful-operators/starter"
	"gatewaymeter/stream"
)

// word joins what is added, after a prefix that Create gives: an accumulator that was not created anew
// shows at once.
type word struct{}

func (word) Create() []string                { return []string{"("} }
func (word) Add(acc *[]string, in *string)   { *acc = append(*acc, *in) }
func (word) Result(acc []string) string      { return fmt.Sprint(acc) }
func (word) Merge(acc *[]string, o []string) { *acc = append(*acc, o...) }

// Test3f: Reducing and aggregating state (20 min)
func Test3f(t *testing.T) {
	suite.Exercise(t, "3f", func(t *testing.T) {
		suite.Sub(t, "a reducing state folds what is added", func(t *testing.T) {
			c := on(operators.NewHeap(0, groupCount-1))
			product := stream.NewReducing(c, "product", stream.Int64, func(a, b int64) int64 { return a * b })
			under(c, "a")
			suite.Equal(t, "nothing", shown(product.Get()), suite.Failure{Says: "nothing was added yet", Input: "Get"})
			product.Add(5)
			suite.Equal(t, "5", shown(product.Get()), suite.Failure{Says: "the first element is the value: there is nothing to fold it into", Input: "Add(5), with a product"})
			product.Add(3)
			suite.Equal(t, "15", shown(product.Get()), suite.Failure{Says: "each further element is folded in with the function", Input: "Add(5), Add(3), with a product"})
			under(c, "b")
			product.Add(7)
			suite.Equal(t, "7", shown(product.Get()), suite.Failure{Says: "another key's value was folded in", Input: "Add(7) under b"})
			suite.Equal(t, 2, c.Backend.Entries("product"), suite.Failure{Says: "Entries is off", Input: "values under a and b"})
		})
		suite.Sub(t, "an aggregating state begins with an empty accumulator", func(t *testing.T) {
			c := on(operators.NewHeap(0, groupCount-1))
			words := stream.NewAggregating(c, "words", stream.JSON[[]string](), word{})
			under(c, "a")
			suite.Equal(t, "nothing", shown(words.Get()), suite.Failure{Says: "nothing was added yet", Input: "Get"})
			words.Add(ref("p"))
			words.Add(ref("q"))
			suite.Equal(t, "[( p q]", shown(words.Get()), suite.Failure{Says: "Create, then Add for each element, the first included", Input: "Add(p), Add(q)"})
		})
		suite.Sub(t, "null clears", func(t *testing.T) {
			c := on(operators.NewHeap(0, groupCount-1))
			words := stream.NewAggregating(c, "words", stream.JSON[[]string](), word{})
			sum := stream.NewReducing(c, "sum", stream.Optional[int64](stream.Int64), func(a, b *int64) *int64 { return num(*a + *b) })
			under(c, "a")
			words.Add(ref("p"))
			sum.Add(num(1))
			words.Add(nil)
			sum.Add(nil)
			suite.Equal(t, "words nothing, sum nothing", fmt.Sprintf("words %s, sum %s", shown(words.Get()), shown(sum.Get())), suite.Failure{
				Says: "adding null clears, as Flink's heap does", Input: "Add(p), Add(null); Add(1), Add(null)",
			})
			suite.Equal(t, 0, c.Backend.Entries("words")+c.Backend.Entries("sum"), suite.Failure{Says: "a state that null has cleared must leave no entry", Input: "Add(null)"})
			words.Add(nil)
			suite.Equal(t, 0, c.Backend.Entries("words"), suite.Failure{Says: "null added to nothing is nothing: it must make no entry", Input: "Add(null) where there is nothing"})
		})
		suite.Sub(t, "a key begins anew, whatever the memory held before", func(t *testing.T) {
			c := on(operators.NewHeap(0, groupCount-1))
			words := stream.NewAggregating(c, "words", stream.JSON[[]string](), word{})
			sum := stream.NewReducing(c, "sum", stream.Int64, func(a, b int64) int64 { return a + b })
			for i := range 5 {
				input := fmt.Sprintf("Add(x), Add(%d) %s, after Clear under the key before", i, under(c, fmt.Sprint("k-", i)))
				words.Add(ref("x"))
				sum.Add(int64(i))
				suite.Equal(t, "[( x]", shown(words.Get()), suite.Failure{Says: "the accumulator holds what another key added", Input: input})
				suite.Equal(t, fmt.Sprint(i), shown(sum.Get()), suite.Failure{Says: "the sum holds what another key added", Input: input})
				words.Clear()
				sum.Clear()
				suite.Equal(t, "nothing", shown(sum.Get()), suite.Failure{Says: "Clear left the sum there", Input: input})
			}
		})
	})
}
