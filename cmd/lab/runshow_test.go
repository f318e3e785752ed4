package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/gateway"
	"gatewaymeter/oracle"
	"gatewaymeter/pipeline"
)

// What came too late for the bill has a row of its own, so that the rows add up to the total; what has no
// price is in none.
func TestTheInvoiceAddsUp(t *testing.T) {
	output := &pipeline.Output{}
	for i, tenant := range strings.Split("a b c d e f g h i j k l", " ") {
		output.Invoice = append(output.Invoice, gateway.TenantWindow{TenantID: tenant, End: 60_000, Requests: 3, Sum: gateway.NanoUSD(1000 - i)})
	}
	r := &pipeline.Report{Output: output, Counts: oracle.Counts{Records: 12*3 + 4 + 7, Late: 4, Unpriced: 7, USDNano: 12*1000 - 66 + 500}}
	var out bytes.Buffer
	d := &runDisplay{flags: &runFlags{stage: 4}, out: &out}
	d.invoice(r)
	text := regexp.MustCompile(" +").ReplaceAllString(out.String(), " ")
	require.Contains(t, text, "│ TENANT │ PRICED REQUESTS │ USD │")
	require.Contains(t, text, "│ and 2 more │ 6 │ $0.000001979 │")
	require.Contains(t, text, "│ too late for it │ 4 │ $0.000000500 │")
	require.Contains(t, text, "│ TOTAL │ 40 │ $0.000012434 │")

	r.Late, r.Records, r.USDNano = 0, r.Records-4, r.USDNano-500
	out.Reset()
	d.invoice(r)
	require.NotContains(t, out.String(), "late")
	require.Contains(t, regexp.MustCompile(" +").ReplaceAllString(out.String(), " "), "│ TOTAL │ 36 │ $0.000011934 │")
}
