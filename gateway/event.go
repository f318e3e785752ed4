package gateway

// EventType tells the two messages of a request apart; it is the "event_type" of the JSON.
type EventType string

// The event types that the gateway sends. Any other is malformed.
const (
	RequestStarted   EventType = "RequestStarted"
	RequestCompleted EventType = "RequestCompleted"
)

// Event is one message of topic gateway-events, decoded. The topic's key is RequestID.
//
// Payload fields that the type does not have are zero: a RequestStarted has only PromptTokens, a
// RequestCompleted only the other three.
type Event struct {
	Type      EventType
	RequestID string
	TenantID  string
	Model     string
	TS        int64 // event time, ms since the epoch

	PromptTokens     int64
	CompletionTokens int64
	LatencyMS        int64
	Status           string
}

// OpenRequest is what is remembered of a request between its two events: state "open" of the
// operator with uid "assemble".
type OpenRequest struct {
	RequestID    string `json:"request_id"`
	TenantID     string `json:"tenant_id"`
	Model        string `json:"model"`
	StartedTS    int64  `json:"started_ts"` // ms since the epoch
	PromptTokens int64  `json:"prompt_tokens"`
}

// StatusAbandoned is the status of a request that was never completed: from lab 06 on it is billed
// five minutes of event time after its start, for its prompt alone.
const StatusAbandoned = "abandoned"

// AbandonAfterMS is how long, in ms of event time, a request may stay open before it is abandoned.
const AbandonAfterMS = 5 * 60 * 1000

// RequestRecord is a finished request: both of its events in one value, and all that its bill needs.
type RequestRecord struct {
	RequestID        string `json:"request_id"`
	TenantID         string `json:"tenant_id"`
	Model            string `json:"model"`
	StartedTS        int64  `json:"started_ts"`
	CompletedTS      int64  `json:"completed_ts"`
	LatencyMS        int64  `json:"latency_ms"`
	PromptTokens     int64  `json:"prompt_tokens"`
	CompletionTokens int64  `json:"completion_tokens"`
	Status           string `json:"status"`
}

// TenantTotal is one line of the running invoice (stage 03): the tenant's total after one request.
// Seq counts the tenant's lines from 1; the last line of a tenant is its bill.
type TenantTotal struct {
	TenantID  string  `json:"tenant_id"`
	RequestID string  `json:"request_id"`
	Seq       int64   `json:"seq"`
	Cost      NanoUSD `json:"cost_nano"`
	Total     NanoUSD `json:"total_nano"`
}

// TenantWindow is one line of the per-minute invoice (from stage 04): what a tenant's requests that
// completed in [Start, End) cost. A later line for the same tenant and window replaces it.
type TenantWindow struct {
	TenantID string  `json:"tenant_id"`
	Start    int64   `json:"window_start"` // ms since the epoch, included
	End      int64   `json:"window_end"`   // ms since the epoch, excluded
	Requests int64   `json:"requests"`
	Sum      NanoUSD `json:"sum_nano"`
}

// DeadLetter is a message that could not be read: its bytes untouched, why, and where it stands.
type DeadLetter struct {
	Raw       []byte `json:"raw"` // base64 in JSON
	Reason    string `json:"reason"`
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
}

// Transaction is one message of topic card-transactions (VelocityCheck, lab 06), keyed by Card.
type Transaction struct {
	Card   string `json:"card"`
	ID     string `json:"id"`
	Amount int64  `json:"amount_cents"`
	TS     int64  `json:"ts"` // ms since the epoch
}

// Alert says that a card made more than five transactions within three minutes. Its identity is
// card and minute: the alert with the largest total stands.
type Alert struct {
	Card   string `json:"card"`
	Minute int64  `json:"minute"` // start of the minute, ms since the epoch
	Total  int64  `json:"total"`
}
