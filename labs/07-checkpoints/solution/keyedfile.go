package checkpoints

import (
	"encoding/binary"
	"fmt"

	"gatewaymeter/stream"
)

// The keyed part of a file is an index and the groups' bytes behind it:
//
//	count | count × (group, offset, length) | bytes of the first group | bytes of the second | …
//
// all numbers 32-bit big-endian, offsets counted from the end of the index (Flink: KeyGroupsStateHandle,
// whose KeyGroupRangeOffsets are this index). Thanks to the index, a subtask that owns three groups after
// a rescaling reads three groups out of each old file, whatever else is in it: that is all there is to
// redistributing keyed state.

const indexEntry = 12 // bytes of one row of the index

// AppendKeyed writes the groups of one subtask, in ascending order. A group that comes twice, or out
// of order, is an error: a reader would find only one of them.
func AppendKeyed(dst []byte, groups []stream.GroupSnapshot) ([]byte, error) {
	//lab:begin 7b
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(groups)))
	offset := 0
	for i, g := range groups {
		if i > 0 && g.Group <= groups[i-1].Group {
			return nil, fmt.Errorf("key group %d comes after key group %d: they must ascend", g.Group, groups[i-1].Group)
		}
		for _, n := range []int{g.Group, offset, len(g.Bytes)} {
			dst = binary.BigEndian.AppendUint32(dst, uint32(n))
		}
		offset += len(g.Bytes)
	}
	for _, g := range groups {
		dst = append(dst, g.Bytes...)
	}
	return dst, nil
	//lab:end
}

// ReadKeyed reads the groups from first to last, both included, and skips the others. The bytes point
// into src. Damage is an error that wraps stream.ErrCorrupt, never a panic.
func ReadKeyed(src []byte, first, last int) ([]stream.GroupSnapshot, error) {
	//lab:begin 7b
	if len(src) < 4 {
		return nil, fmt.Errorf("%w: a keyed part of %d bytes has no index", stream.ErrCorrupt, len(src))
	}
	count := int(binary.BigEndian.Uint32(src))
	if count > (len(src)-4)/indexEntry {
		return nil, fmt.Errorf("%w: an index of %d groups does not fit in %d bytes", stream.ErrCorrupt, count, len(src))
	}
	index, data := src[4:4+count*indexEntry], src[4+count*indexEntry:]
	var groups []stream.GroupSnapshot
	for ; len(index) > 0; index = index[indexEntry:] {
		group := int(binary.BigEndian.Uint32(index))
		offset, length := uint64(binary.BigEndian.Uint32(index[4:])), uint64(binary.BigEndian.Uint32(index[8:]))
		if group < first || group > last {
			continue
		}
		if offset+length > uint64(len(data)) {
			return nil, fmt.Errorf("%w: key group %d ends at byte %d of %d", stream.ErrCorrupt, group, offset+length, len(data))
		}
		groups = append(groups, stream.GroupSnapshot{Group: group, Bytes: data[offset : offset+length]})
	}
	return groups, nil
	//lab:end
}
