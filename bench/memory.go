package bench

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
)

// residentBytes is the most memory that this process has had resident so far. Where the system does not
// say (only Linux does, in /proc), it is what Go has asked the system for.
func residentBytes() int64 {
	if f, err := os.Open("/proc/self/status"); err == nil {
		defer func() { _ = f.Close() }()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var kB int64
			if n, _ := fmt.Sscanf(lines.Text(), "VmHWM: %d kB", &kB); n == 1 {
				return kB << 10
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}
