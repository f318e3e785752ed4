package oracle

import "fmt"

// The lines of the output topics. Their JSON is that of the job, so a consumer decodes a topic straight
// into them.

// Record is a finished request: topics unpriced and late.
type Record struct {
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

// String prints what a reader needs to find the request and check its bill.
func (r Record) String() string {
	return fmt.Sprintf("%s of %s on %s, %d to %d ms (latency %d ms), %d + %d tokens, %s",
		r.RequestID, r.TenantID, r.Model, r.StartedTS, r.CompletedTS, r.LatencyMS, r.PromptTokens, r.CompletionTokens, r.Status)
}

// Total is a line of topic tenant-totals.
type Total struct {
	TenantID  string `json:"tenant_id"`
	RequestID string `json:"request_id"`
	Seq       int64  `json:"seq"`
	Cost      int64  `json:"cost_nano"`
	Total     int64  `json:"total_nano"`
}

// Window is a line of topic invoice.
type Window struct {
	TenantID string `json:"tenant_id"`
	Start    int64  `json:"window_start"`
	End      int64  `json:"window_end"`
	Requests int64  `json:"requests"`
	Sum      int64  `json:"sum_nano"`
}

// DeadLetter is a message of topic dead-letters. In an expected one Reason is empty: the words are the
// job's, but must contain the name of each fault.
type DeadLetter struct {
	Raw       []byte `json:"raw"`
	Reason    string `json:"reason"`
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`

	faults []string
}

// Faults names what is wrong with an expected dead letter, as in the package doc. It is nil for one
// that was read from a topic.
func (d DeadLetter) Faults() []string { return d.faults }

// Alert is a line of topic alerts.
type Alert struct {
	Card   string `json:"card"`
	Minute int64  `json:"minute"`
	Total  int64  `json:"total"`
}

// dollars prints nano-USD with all nine decimals.
func dollars(nano int64) string {
	sign := ""
	if nano < 0 {
		sign, nano = "-", -nano
	}
	return fmt.Sprintf("%s$%d.%09d", sign, nano/1e9, nano%1e9)
}
