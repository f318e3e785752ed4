package main

import (
	"fmt"
	"strconv"
	"strings"
)

// percent is a share, written as 1%.
type percent float64

func (p *percent) String() string { return strconv.FormatFloat(float64(*p)*100, 'g', 6, 64) + "%" }
func (p *percent) Type() string   { return "percent" }

func (p *percent) Set(text string) error {
	number, ok := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(v >= 0 && v <= 100) {
		return fmt.Errorf("%q is no share: it is written as 1%%, from 0%% to 100%%", text)
	}
	*p = percent(v / 100)
	return nil
}
