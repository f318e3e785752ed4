package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gatewaymeter/pipeline"
)

// stageFlag adds --stage: a lab's number, written as 03 or 3.
func stageFlag(cmd *cobra.Command, stage *int) {
	*stage = pipeline.LastStage
	cmd.Flags().Var((*stageValue)(stage), "stage", fmt.Sprintf("the job as it stands after a lab: %02d to %02d", pipeline.FirstStage, pipeline.LastStage))
}

type stageValue int

func (s *stageValue) String() string { return fmt.Sprintf("%02d", int(*s)) }
func (s *stageValue) Type() string   { return "lab" }

func (s *stageValue) Set(text string) error {
	n, err := parseStage(text)
	if err == nil {
		*s = stageValue(n)
	}
	return err
}

// parseStage reads a stage, as a flag or an argument: 3, 03 or the lab's name.
func parseStage(text string) (int, error) {
	number, _, _ := strings.Cut(text, "-")
	n, err := strconv.Atoi(number)
	if err != nil || n < pipeline.FirstStage || n > pipeline.LastStage {
		return 0, fmt.Errorf("the job stands at stages %02d to %02d, not at %q", pipeline.FirstStage, pipeline.LastStage, text)
	}
	return n, nil
}
