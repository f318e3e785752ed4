package work

import (
	"fmt"
	"math"
)

const golden = 0x9E3779B97F4A7C15

// mix is splitmix64's finisher.
func mix(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
	z = (z ^ (z >> 27)) * 0x94D049BB133111EB
	return z ^ (z >> 31)
}

// random is the k-th number, from 1, of a splitmix64 with that seed.
func random(seed, k uint64) uint64 { return mix(seed + k*golden) }

const tenants = 1000

// TenantTable maps 16 random bits to a tenant, by a Zipf law of exponent 1.1; the second result is the
// sum of the weights.
func TenantTable() (table []uint16, total uint64) {
	cum := make([]uint64, tenants)
	for k := range cum {
		total += uint64(math.Floor(1e6/math.Pow(float64(k+1), 1.1) + 0.5))
		cum[k] = total
	}
	table = make([]uint16, 1<<16)
	k := 0
	for s := range table {
		for cum[k]<<16 <= uint64(s)*total {
			k++
		}
		table[s] = uint16(k)
	}
	return table, total
}

// TableHash is the table's fingerprint. A power is not exact in every language, so a peer checks it.
func TableHash(table []uint16) (h uint64) {
	for _, k := range table {
		h = mix(h + uint64(k) + golden)
	}
	return h
}

func tenantNames() []string {
	names := make([]string, tenants)
	for k := range names {
		names[k] = fmt.Sprintf("tenant-%04d", k)
	}
	return names
}
