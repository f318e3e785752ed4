//go:build !unix

package broker

import "os"

// flock does nothing where the system has no such lock. Two brokers on one data directory then go
// unnoticed unless they also ask for the same port.
func flock(*os.File) error { return nil }
