// SPDX-License-Identifier: Apache-2.0

// Package probe looks into a running controller: whether it is idle, and what it has done. It is for tests, and for the command, which
// prints figures at the end; programs that embed package controller have its metrics and its Ready method.
//
//	p := probe.New()
//	go c.Run(p.With(ctx))
//	err := p.Idle(ctx)
//
// [Metrics] serves the metrics of a registry, for the controller and for the command.
//
// The context carries the probe to the controller, as net/http/httptrace does it, so that the controller exports nothing for tests.
package probe
