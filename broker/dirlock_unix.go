//go:build unix

package broker

import (
	"os"
	"syscall"
)

// flock takes the file for this process, or fails at once if another has it.
func flock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
