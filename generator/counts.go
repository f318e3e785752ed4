package generator

// Counts is the truth about a run: how often each anomaly stands in the messages made so far.
type Counts struct {
	Requests int64 `json:"requests"`
	Messages int64 `json:"messages"` // all of them, malformed and duplicates included

	Disordered         int64 `json:"disordered"` // first events with a ts below the greatest before them
	LagAboveBound      int64 `json:"lag_above_bound"`
	DuplicateStarted   int64 `json:"duplicate_started"`
	DuplicateCompleted int64 `json:"duplicate_completed"`
	Malformed          int64 `json:"malformed"`

	NeverCompleted int64 `json:"never_completed"`
	NeverStarted   int64 `json:"never_started"`
	Reversed       int64 `json:"reversed"`
	Long           int64 `json:"long"`
	UnknownModel   int64 `json:"unknown_model"`
	ErrorStatus    int64 `json:"error_status"`

	MalformedKinds [malformedKinds]int64 `json:"malformed_kinds"` // as MalformedNames names them

	unknown [fates]int64 // requests of an unknown model, by fate
}

// StageCounts is what a job of some stage must count, as far as it follows from the anomalies alone.
// Names are those of `lab run --json`.
type StageCounts struct {
	Requests    int64
	Events      int64
	Malformed   int64
	Duplicates  int64
	Records     int64
	Abandoned   int64
	Unmatched   int64
	Unpriced    int64
	OpenEntries int64
}

// At returns what the job of a stage (3 to 7) must count once it has read all messages. A reversal is
// an end without a start and a start without an end; from stage 06 on, so is a long request, and starts
// without an end are abandoned.
func (c Counts) At(stage int) StageCounts {
	s := StageCounts{
		Requests: c.Requests, Events: c.Messages, Malformed: c.Malformed,
		Duplicates:  c.DuplicateStarted + c.DuplicateCompleted,
		Records:     c.Requests - c.NeverCompleted - c.NeverStarted - c.Reversed,
		Unmatched:   c.NeverStarted + c.Reversed,
		OpenEntries: c.NeverCompleted + c.Reversed,
		Unpriced:    c.UnknownModel - c.unknown[neverCompleted] - c.unknown[neverStarted] - c.unknown[reversed],
	}
	if stage >= 6 {
		s.Abandoned = s.OpenEntries + c.Long
		s.Unmatched += c.Long
		s.Records += s.OpenEntries // a long request's record is now an abandoned one
		s.OpenEntries = 0
		s.Unpriced = c.UnknownModel - c.unknown[neverStarted]
	}
	return s
}
