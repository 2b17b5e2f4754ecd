// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"testing"
)

// TestScenarios: what the operator writes on a real API server with nodes, from the real trigger.
func TestScenarios(t *testing.T) {
	s := start(t, "tristate", 1, ours)
	rgd := file(t, "webapp")
	s.create(t, rgd)
	s.expect(t, rgd, map[string]string{"Ready": "True AllReady", "ResourceGraphReady": "True AllReady", "ResourceGraphKindReady": "True Accepted"})

	t.Run("an instance becomes ready with its deployment", func(t *testing.T) {
		shop := decode(t, "{apiVersion: kro.run/v1alpha1, kind: WebApp, metadata: {name: shop, namespace: default}, spec: {}}")
		s.create(t, shop)
		s.expect(t, shop, map[string]string{"Ready": "True AllReady", "resources.kro.run/deployment": "True ResourceReady", "resources.kro.run/notes": "True Excluded"})
		s.remove(t, shop)
		s.gone(t, shop)
		s.gone(t, object("apps/v1", "Deployment", "default", "shop"))
	})
}
