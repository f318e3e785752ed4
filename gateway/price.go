package gateway

import "fmt"

// NanoUSD is an amount of money in billionths of a US dollar.
//
// Every price per 1,000 tokens of the course is a whole number of nano-USD per token, so sums are
// exact and do not depend on the order of adding, which is not true of floats (lab 03, exercise 3b).
type NanoUSD int64

// NanoPerUSD is the number of nano-USD in a dollar.
const NanoPerUSD = 1_000_000_000

// String prints the amount in dollars with all nine decimals, such as "$12.034500000".
func (n NanoUSD) String() string {
	sign, v := "", uint64(n)
	if n < 0 {
		sign, v = "-", -v
	}
	return fmt.Sprintf("%s$%d.%09d", sign, v/NanoPerUSD, v%NanoPerUSD)
}

// Price is what one token of a model costs.
type Price struct {
	Input  NanoUSD // per prompt token
	Output NanoUSD // per completion token
}

// Cost is the price of a request with that many tokens.
func (p Price) Cost(promptTokens, completionTokens int64) NanoUSD {
	return p.Input*NanoUSD(promptTokens) + p.Output*NanoUSD(completionTokens)
}

// Prices is a price table by model. A model that is not in it cannot be billed: its records go to
// topic unpriced.
type Prices map[string]Price

// ListPrices is the table of the course: model-a costs 0.0025 USD per 1,000 prompt tokens and 0.0100
// per 1,000 completion tokens, model-b 0.0005 and 0.0015.
func ListPrices() Prices {
	return Prices{
		"model-a": {Input: 2500, Output: 10000},
		"model-b": {Input: 500, Output: 1500},
	}
}

// PriceChange sets the price of a model from now on, or takes the model off the table. Where the table
// comes as a stream, this is its element (lab 03, exercise 3j).
type PriceChange struct {
	Model     string `json:"model"`
	Price     Price  `json:"price"`
	Withdrawn bool   `json:"withdrawn,omitempty"`
}
