package main

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gatewaymeter/bench"
	"gatewaymeter/internal/anatomy"
	"gatewaymeter/internal/kit/mutant"
	"gatewaymeter/internal/kit/run"
	"gatewaymeter/pipeline"
)

// What --json prints is a contract: every key stands in the command's row of docs/design.md.
func TestEveryKeyOfJSONIsDocumented(t *testing.T) {
	design, err := os.ReadFile("../../docs/design.md")
	require.NoError(t, err)
	var missing []string
	for row, lines := range map[string][]any{
		"| `run ":        {pipeline.Report{}, checkpointLine{}},
		"| `generate ":   {trafficCounts{}, transactionCounts{}},
		"| `test ":       {run.Result{}, run.Summary{}},
		"| `list ":       {listed{}},
		"| `doctor`":     {finding{}},
		"| `mutants ":    {mutant.Result{}},
		"| `reduce ":     {reduced{}},
		"| `replay ":     {replayed{}},
		"| `crash ":      {pipeline.CrashReport{}, crashLine{}, crashSummary{}},
		"| `why ":        {pipeline.Waiting{}},
		"| `bench ":      {bench.Result{}},
		"| `checkpoint ": {anatomy.Checkpoint{}},
	} {
		_, text, found := strings.Cut(string(design), "\n"+row)
		require.True(t, found, "there is no row that begins with %q", row)
		text, _, _ = strings.Cut(text, "\n")
		for _, line := range lines {
			for _, key := range keysOf(reflect.TypeOf(line)) {
				if !strings.Contains(text, `"`+key+`"`) {
					missing = append(missing, fmt.Sprintf("%s of %T in the row that begins with %q", key, line, row))
				}
			}
		}
	}
	slices.Sort(missing)
	require.Empty(t, missing)
}

// keysOf are the keys of a struct's JSON, those of structs in it that have no name of their own included.
func keysOf(s reflect.Type) (keys []string) {
	for f := range s.NumField() {
		field := s.Field(f)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		embedded := field.Type
		if embedded.Kind() == reflect.Pointer {
			embedded = embedded.Elem()
		}
		switch {
		case field.Anonymous && name == "" && embedded.Kind() == reflect.Struct:
			keys = append(keys, keysOf(embedded)...)
		case name != "" && name != "-":
			keys = append(keys, name)
		}
	}
	return keys
}
