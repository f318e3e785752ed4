package reduce

// ddmin finds a part of items that still fails and of which no single item can be left out. fails is
// asked about parts, in their order; it must be true of all items, and is not asked about them.
//
// Each round cuts the items into n pieces. A piece that fails alone, or all but one piece, becomes the
// new whole; if there is none, the pieces are halved.
func ddmin[T any](items []T, fails func(part []T) bool) []T {
	if len(items) == 0 || fails(nil) {
		return nil
	}
	for n := 2; len(items) >= 2; {
		if part, ok := firstThatFails(pieces(items, n), fails); ok {
			items, n = part, 2
			continue
		}
		// Of two pieces, each is all but the other.
		if part, ok := firstThatFails(complements(items, n), fails); n > 2 && ok {
			items, n = part, max(n-1, 2)
			continue
		}
		if n >= len(items) {
			break
		}
		n = min(2*n, len(items))
	}
	return items
}

func firstThatFails[T any](parts [][]T, fails func([]T) bool) ([]T, bool) {
	for _, p := range parts {
		if fails(p) {
			return p, true
		}
	}
	return nil, false
}

// pieces cuts items into n parts of nearly equal length.
func pieces[T any](items []T, n int) (parts [][]T) {
	for i := range n {
		parts = append(parts, items[i*len(items)/n:(i+1)*len(items)/n])
	}
	return parts
}

// complements are the items less each of the n pieces.
func complements[T any](items []T, n int) (parts [][]T) {
	for i := range n {
		part := append([]T{}, items[:i*len(items)/n]...)
		parts = append(parts, append(part, items[(i+1)*len(items)/n:]...))
	}
	return parts
}
