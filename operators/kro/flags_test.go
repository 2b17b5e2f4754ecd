// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// TestFlagsOfKro: the program starts with the command line of kro's chart. Its feature gate permits omit(), and its limit of collections holds.
func TestFlagsOfKro(t *testing.T) {
	s := start(t, "tristate", 0, func(*testing.T, *rest.Config) func() error { return func() error { return nil } })
	config := rest.CopyConfig(s.config)
	config.Impersonate = rest.ImpersonationConfig{UserName: account}
	s.spawn(t, config, strings.Fields(`--allow-crd-deletion=false --metrics-bind-address :8078 --health-probe-bind-address :8079
		--resource-graph-definition-concurrent-reconciles 1 --graph-revision-concurrent-reconciles 1 --dynamic-controller-concurrent-reconciles 2
		--zap-log-level info --zap-encoder json --zap-devel=false --graceful-shutdown-timeout 60s --instance-requeue-interval 3s
		--dynamic-controller-default-resync-period 36000 --dynamic-controller-default-queue-max-retries 20
		--dynamic-controller-rate-limiter-min-delay 200ms --dynamic-controller-rate-limiter-max-delay 1000s --client-qps 100 --client-burst 150
		--dynamic-controller-rate-limiter-rate-limit 10 --dynamic-controller-rate-limiter-burst-limit 100
		--rgd-max-collection-size 2 --rgd-max-collection-dimension-size 10 --rgd-max-graph-revisions 5 --rgd-progress-requeue-delay 3s
		--leader-election-lease-duration 15s --leader-election-renew-deadline 10s --leader-election-retry-period 2s
		--leader-elect --leader-election-namespace `+system+` --enable-controller-warmup --feature-gates CELOmitFunction=true --pprof-bind-address :6060`)...)
	optional := rgd(t, "optional", "Optional", "spec: {note: 'string | default=\"\"', parts: '[]string'}", `
- id: notes
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}"}, data: {a: b, note: '${schema.spec.note != "" ? schema.spec.note : omit()}'}}
- id: parts
  forEach: [{part: "${schema.spec.parts}"}]
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}-${part}"}, data: {a: b}}`)
	with, without := instance(t, "Optional", "with", "note: x, parts: [a, b]"), instance(t, "Optional", "without", "parts: [a]")
	many := instance(t, "Optional", "many", "parts: [a, b, c]")
	s.create(t, optional)
	s.create(t, with)
	s.create(t, without)
	s.expect(t, with, map[string]string{"Ready": "True AllReady"})
	s.expect(t, without, map[string]string{"Ready": "True AllReady"})
	for name, want := range map[string]bool{"with": true, "without": false} {
		data, _ := s.read(t, object("v1", "ConfigMap", "default", name)).Object["data"].(map[string]any)
		if _, has := data["note"]; has != want || data["a"] != "b" {
			t.Errorf("the data of %s are %v", name, data)
		}
	}
	s.create(t, many)
	s.expect(t, many, map[string]string{"Ready": "False", "GraphResolved": "False ResolutionFailed"})
}
