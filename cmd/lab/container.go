package main

import (
	"context"

	"gatewaymeter/broker"
	"gatewaymeter/broker/container"
)

// containerStarter is what --broker container starts.
var containerStarter broker.Starter = container.Start

func init() {
	startContainer = func(ctx context.Context) (address string, stop func(), err error) {
		s, err := container.Start(ctx)
		if err != nil {
			return "", nil, err
		}
		return s.Addr, func() { _ = s.Stop() }, nil
	}
}
