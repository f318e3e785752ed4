package stream

// Keys says how the keys of one Go type hash and how they are written down. Lab 02 gives the
// implementations (Flink's hashCode rules): StringKeys, Int32Keys, Int64Keys, BoolKeys.
//
// Encode and Decode are inverse. The encoded form is what backends store and sort by, and what
// Context.Key returns; for strings it is the string itself.
type Keys[K any] interface {
	Hash(key K) int32
	Encode(key K) string
	Decode(encoded string) (K, error)
}

// Exchange sends the records of a keyed stream to the subtasks that own their keys.
type Exchange[T any] interface {
	// Split appends each record, with its Group set, to the batch of the subtask that owns the
	// group. Records of one key keep their order. It must not keep in or out.
	Split(in []Record[T], out []*Batch[T])
}

// Groups places keys: which key group a hash falls into, which subtask owns a group, and which
// groups a subtask owns. One job has one; lab 02 implements it.
type Groups interface {
	// Max is the number of key groups, Flink's maximum parallelism: 1 to 32768.
	Max() int
	// Of is the key group of a key's hash: 0 to Max()-1.
	Of(hash int32) int
	// Owner is the subtask, of parallelism many, that owns a group.
	Owner(group, parallelism int) int
	// Range is the first and the last group, both included, that a subtask owns.
	Range(subtask, parallelism int) (first, last int)
}
