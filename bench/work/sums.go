package work

import "fmt"

// Sums is what the two sinks add up: A takes the running totals, B the windows.
type Sums struct {
	OutA, SumA, SeqA  int64
	OutB, SumB, HashB int64
	Unmatched         int64 // completions without a start; there are none in the input
}

// A takes one running total: the tenant's how many-th it is, and what its request cost.
func (s *Sums) A(seq, cost int64) {
	s.OutA++
	s.SumA += cost
	s.SeqA += seq
}

// B takes one fired window.
func (s *Sums) B(start, sum int64) {
	s.OutB++
	s.SumB += sum
	s.HashB += sum * (start/WindowMS - T0/WindowMS + 2)
}

// Add takes in another subtask's sums.
func (s *Sums) Add(o Sums) {
	s.OutA += o.OutA
	s.SumA += o.SumA
	s.SeqA += o.SeqA
	s.OutB += o.OutB
	s.SumB += o.SumB
	s.HashB += o.HashB
	s.Unmatched += o.Unmatched
}

// Check is the fingerprint of the sums, in 16 hexadecimal digits.
func (s Sums) Check() string {
	return fmt.Sprintf("%016x", uint64(((s.SumA*1000003+s.SeqA)*1000003+s.SumB)*1000003+s.HashB))
}
