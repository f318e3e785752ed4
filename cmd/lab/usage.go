package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
