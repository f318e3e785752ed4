package sample

// TestingT is what a check needs.
type TestingT interface {
	Errorf(format string, args ...any)
	FailNow()
}

// CheckDouble fails for a function that does not double.
func CheckDouble(t TestingT, double func(int) int) {
	//lab:begin 9.1
	if got := double(2); got != 4 {
		t.Errorf("double of 2 is %d", got)
	}
	//lab:end
}
