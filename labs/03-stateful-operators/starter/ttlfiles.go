package operators

import "gatewaymeter/stream"

// This file is given: a backend whose snapshots are files has them with a time to live too.

var _ stream.FileBackend = (*ttlFiles)(nil)

// ttlFiles is a ttlBackend over such a backend. Its files hold what has expired and not been removed:
// cleanup in a snapshot is for snapshots that are written in full, as in Flink.
type ttlFiles struct {
	*ttlBackend
	files stream.FileBackend
}

// SnapshotFiles implements stream.FileBackend.
func (b *ttlFiles) SnapshotFiles() (files []stream.StateFile, release func(), err error) {
	return b.files.SnapshotFiles()
}

// RestoreFiles implements stream.FileBackend.
func (b *ttlFiles) RestoreFiles(files []stream.StateFile) error { return b.files.RestoreFiles(files) }
