package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gatewaymeter/generator"
	"gatewaymeter/pipeline"
)

// flagError says what is wrong with a flag and what would be right, in place of what the parser of its
// type says. Flags of types of our own say it themselves.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		flag, why := invalid.GetFlag(), fmt.Sprint(invalid.Unwrap())
		if right, ours := rightValue[flag.Value.Type()]; ours {
			why = "it is " + right
		}
		if errors.Is(err, strconv.ErrRange) {
			why = "this is too large a number"
		}
		err = fmt.Errorf("--%s %s: %s", flag.Name, invalid.GetValue(), why)
	}
	return fmt.Errorf("%w (%s --help shows the flags)", err, cmd.CommandPath())
}

// rightValue says, by type, what may stand behind a flag. Narrower bounds are each command's.
var rightValue = map[string]string{
	"bool":     "true or false",
	"duration": "a time with its unit, such as 500ms or 30s",
	"float64":  "a number, such as 0.05",
	"int":      "a whole number",
	"int64":    "a whole number",
	"intSlice": "whole numbers, such as 2 or 0,2",
	"uint64":   "a whole number from 0 on",
}

// checkParallelism says what is wrong with a --parallelism.
func checkParallelism(subtasks int) error {
	if subtasks < 1 || subtasks > pipeline.Groups {
		return fmt.Errorf("--parallelism %d: ask for 1 to %d, the number of key groups", subtasks, pipeline.Groups)
	}
	return nil
}

// trafficError says of a parameter of the traffic that is out of range by which flag it came.
func trafficError(err error) error {
	var e *generator.ParamError
	if !errors.As(err, &e) {
		return err
	}
	flag, known := map[string]string{
		"Requests": "requests", "Tenants": "tenants", "LagAboveBound": "lag-above-bound", "DuplicateStarted": "duplicates",
	}[e.Field]
	switch {
	case known:
		return fmt.Errorf("--%s %v: ask for %s", flag, e.Got, e.Want)
	case strings.Contains(e.Field, "LagAboveBound"):
		return fmt.Errorf("--lag-above-bound is too much: with what goes wrong with other requests it comes to %v, which must be %s", e.Got, e.Want)
	}
	return err
}

// checkMine refuses a --mine that names no lab, as one from an empty variable does: the command would run on
// our code and not say so.
func checkMine(cmd *cobra.Command, _ []string) error {
	if labs, err := cmd.Flags().GetStringSlice("mine"); err == nil && cmd.Flags().Changed("mine") && len(labs) == 0 {
		return errors.New("--mine names no lab: write 03 or 02,03, or leave it out for our code")
	}
	return nil
}

// args checks that a command has from least to most arguments, and says else how it is called.
func args(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("something is missing: it is called as %s (--help has examples)", cmd.UseLine())
		case len(args) > most:
			return fmt.Errorf("%q is too much: it is called as %s (--help has examples)", args[most], cmd.UseLine())
		}
		return nil
	}
}

// pauseValue is a flag's pause between two checkpoints: off, which is 0, or a time.
type pauseValue time.Duration

func (p *pauseValue) String() string {
	if *p == 0 {
		return "off"
	}
	return time.Duration(*p).String()
}

func (p *pauseValue) Type() string { return "pause" }

func (p *pauseValue) Set(text string) error {
	if text == "off" {
		*p = 0
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < time.Millisecond {
		return errors.New("it is off, or a pause of at least 1ms such as 1s")
	}
	*p = pauseValue(d)
	return nil
}
