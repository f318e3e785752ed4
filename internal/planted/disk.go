package planted

import checkpoints "gatewaymeter/labs/07-checkpoints/solution"

// CopyingDisk renames as a disk does that cannot: it copies, and removes what it has copied. A power cut in
// between leaves half a file under the new name.
type CopyingDisk struct{ checkpoints.Disk }

// Rename implements checkpoints.Disk.
func (d CopyingDisk) Rename(from, to string) error {
	content, err := d.ReadFile(from)
	if err != nil {
		return err
	}
	f, err := d.Create(to)
	if err != nil {
		return err
	}
	if _, err := f.Write(content); err != nil {
		return err
	}
	return d.Remove(from)
}
