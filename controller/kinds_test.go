// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// TestDefinitionsComeAndGo: kinds are picked up when their definition arrives and dropped with it; what depends on them follows.
func TestDefinitionsComeAndGo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.run()
	c.idle()

	b.define(listMap, "Rack") // after the controller
	b.create("Rack", "r", "{}")
	empty := "Ready=False Empty, WidgetsReady=False Empty"
	b.eventually("Rack", "r", empty)

	b.define(listMap, "Widget")
	b.create("Widget", "w", "rack: r")
	b.eventually("Rack", "r", "Ready=Unknown NotReported, WidgetsReady=Unknown NotReported")
	b.report("Widget", "w", "Powered", "True", "PowerOn")
	b.eventually("Widget", "w", "Powered=True PowerOn, Ready=True Healthy")
	b.eventually("Rack", "r", "Ready=True Healthy, WidgetsReady=True Healthy")
	c.quiet()
	if got := c.Stats().Objects; got != 2 {
		t.Errorf("objects: want 2, got %d", got)
	}

	b.must(b.undefine(b.patient(), "Widget"))
	b.eventually("Rack", "r", empty)
	b.wait(func() error {
		if err := b.undefine(b.patient(), "Widget"); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the definition is still there: %v", err)
		}
		return nil
	})
	c.idle()
	if got := c.Stats().Objects; got != 1 {
		t.Errorf("objects without widgets: want 1, got %d", got)
	}

	b.define(listMap, "Widget")
	b.create("Widget", "w", "rack: r")
	b.report("Widget", "w", "Powered", "False", "Cut")
	b.eventually("Rack", "r", "Ready=False Cut, WidgetsReady=False Cut")
	c.quiet()
}
