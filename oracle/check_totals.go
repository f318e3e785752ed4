package oracle

import (
	"cmp"
	"fmt"
	"slices"
)

// CheckTotals compares topic tenant-totals (stage 03). Which of a tenant's requests comes when is not
// determined, so the lines are judged as a whole. Per tenant:
//
//   - the last total is the tenant's bill;
//   - each of its requests has one line, with its cost;
//   - seq runs from 1 to n, each number once;
//   - each total is the one before it plus the line's cost.
//
// After a restore (Options.Repeats) the same request may stand at another seq, so that only the first
// two are asked for, and equal costs in all lines of a request. A tenant's last line is the one of the
// greatest seq, so lines may come in any order.
func (v *Invoice) CheckTotals(got []Total) []Difference {
	byTenant := map[string][]Total{}
	var tenants []string
	for _, t := range v.Tenants {
		tenants = append(tenants, t.TenantID)
		byTenant[t.TenantID] = nil
	}
	for _, l := range got {
		if _, known := byTenant[l.TenantID]; !known {
			tenants = append(tenants, l.TenantID)
		}
		byTenant[l.TenantID] = append(byTenant[l.TenantID], l)
	}
	ds := v.checkBills(tenants, byTenant)
	ds = append(ds, compare("tenant-totals", v.costLines(), totalLines(got), v.Options.Repeats)...)
	if !v.Options.Repeats {
		for _, t := range tenants {
			ds = append(ds, checkRun(byTenant[t])...)
		}
	}
	return ds
}

// checkBills compares each tenant's last line. It sorts the lines of each tenant by seq.
func (v *Invoice) checkBills(tenants []string, byTenant map[string][]Total) []Difference {
	want := map[string]Tenant{}
	for _, t := range v.Tenants {
		want[t.TenantID] = t
	}
	text := func(n, total int64) string {
		if n == 0 {
			return nothing
		}
		return fmt.Sprintf("%d requests, %s", n, dollars(total))
	}
	var ds []Difference
	for _, t := range tenants {
		lines := byTenant[t]
		slices.SortStableFunc(lines, func(a, b Total) int { return cmp.Compare(a.Seq, b.Seq) })
		var last Total
		if len(lines) > 0 {
			last = lines[len(lines)-1]
		}
		engine, right := text(last.Seq, last.Total), text(want[t].Requests, want[t].Total)
		if engine != right {
			ds = append(ds, Difference{"bill of " + t, engine, right})
		}
	}
	return ds
}

// checkRun asks that one tenant's lines, sorted by seq, count and add without a gap. It reports the
// first break only, since all that follow come from it.
func checkRun(lines []Total) []Difference {
	var before int64
	for i, l := range lines {
		where := fmt.Sprintf("tenant-totals %s line %d (%s)", l.TenantID, i+1, l.RequestID)
		if l.Seq != int64(i+1) {
			return []Difference{{where, fmt.Sprintf("seq %d", l.Seq), fmt.Sprintf("seq %d", i+1)}}
		}
		if l.Total != before+l.Cost {
			return []Difference{{where, "total " + dollars(l.Total), fmt.Sprintf("%s + %s = %s", dollars(before), dollars(l.Cost), dollars(before+l.Cost))}}
		}
		before = l.Total
	}
	return nil
}

func (v *Invoice) costLines() []line {
	lines := make([]line, len(v.Bills))
	for i, b := range v.Bills {
		lines[i] = line{b.TenantID + " " + b.RequestID, dollars(b.Cost)}
	}
	return lines
}

func totalLines(got []Total) []line {
	lines := make([]line, len(got))
	for i, l := range got {
		lines[i] = line{l.TenantID + " " + l.RequestID, dollars(l.Cost)}
	}
	return lines
}
