package gateway

// The topics of the job. A run puts a prefix of its own before each (see package pipeline), so that
// two runs on one broker never mix.
const (
	TopicEvents       = "gateway-events"    // input, keyed by request_id
	TopicTransactions = "card-transactions" // input of VelocityCheck, keyed by card
	TopicTotals       = "tenant-totals"     // stage 03: TenantTotal, keyed by tenant_id
	TopicInvoice      = "invoice"           // from stage 04: TenantWindow, keyed by tenant_id
	TopicDeadLetters  = "dead-letters"      // DeadLetter
	TopicUnpriced     = "unpriced"          // RequestRecord of an unknown model
	TopicLate         = "late"              // from stage 04: RequestRecord past its window's lateness
	TopicAlerts       = "alerts"            // Alert, keyed by card and minute
)
