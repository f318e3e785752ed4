// Package base is what lab 09 builds on.
package base

// One is one.
func One() int {
	//lab:begin 8a
	return 1
	//lab:end
}
