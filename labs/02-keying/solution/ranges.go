package keying

// Owner is the subtask, of parallelism many, that owns a key group: group·parallelism/max, rounded
// down. parallelism is 1 to max, group 0 to max-1.
func Owner(group, parallelism, max int) int {
	//lab:begin 2d
	return group * parallelism / max
	//lab:end
}

// Range is the first and the last key group, both included, that a subtask owns. It is the inverse of
// Owner: the ranges of all subtasks follow each other without a gap and cover 0 to max-1.
func Range(subtask, parallelism, max int) (first, last int) {
	//lab:begin 2d
	// Group g belongs to s if s <= g·p/max < s+1, that is s·max/p <= g < (s+1)·max/p. The least whole
	// number that is not below a quotient is the quotient rounded up.
	return ceilDiv(subtask*max, parallelism), ceilDiv((subtask+1)*max, parallelism) - 1
	//lab:end
}

//lab:begin 2d

// ceilDiv is a/b rounded up, for a >= 0 and b > 0.
func ceilDiv(a, b int) int { return (a + b - 1) / b }

//lab:end
