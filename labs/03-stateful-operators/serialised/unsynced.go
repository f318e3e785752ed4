package serialised

import "github.com/cockroachdb/pebble/v2/vfs"

// unsynced is a file system that never waits for the disk. What pebble keeps here need not outlive a power
// cut: a checkpoint is what does, and its store syncs what it takes in.
type unsynced struct{ vfs.FS }

func (fs unsynced) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return unsyncedFile(fs.FS.Create(name, c))
}

func (fs unsynced) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	return unsyncedFile(fs.FS.OpenReadWrite(name, c, o...))
}

func (fs unsynced) OpenDir(name string) (vfs.File, error) { return unsyncedFile(fs.FS.OpenDir(name)) }

func (fs unsynced) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return unsyncedFile(fs.FS.ReuseForWrite(old, name, c))
}

func (fs unsynced) Unwrap() vfs.FS { return fs.FS }

func unsyncedFile(f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return lazyFile{f}, nil
}

// lazyFile leaves it to the system when its bytes go to the disk.
type lazyFile struct{ vfs.File }

func (lazyFile) Sync() error                { return nil }
func (lazyFile) SyncData() error            { return nil }
func (lazyFile) SyncTo(int64) (bool, error) { return false, nil }
