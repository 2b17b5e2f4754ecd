// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tristate/tristate/proof/world"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// flagsOfKro: the program starts with the command line of kro's chart. Its feature gate permits omit(), its limit of collections holds,
// and kro's metrics have their names and labels.
func flagsOfKro(t *testing.T, s *side) {
	config := s.Account()
	address := world.Free(t)
	s.spawn(t, config, strings.Fields(`--metrics-bind-address `+address+` --allow-crd-deletion=false --health-probe-bind-address 127.0.0.1:0
		--resource-graph-definition-concurrent-reconciles 1 --graph-revision-concurrent-reconciles 1 --dynamic-controller-concurrent-reconciles 2
		--zap-log-level info --zap-encoder json --zap-devel=false --graceful-shutdown-timeout 60s --instance-requeue-interval 3s
		--dynamic-controller-default-resync-period 36000 --dynamic-controller-default-queue-max-retries 20
		--dynamic-controller-rate-limiter-min-delay 200ms --dynamic-controller-rate-limiter-max-delay 1000s --client-qps 100 --client-burst 150
		--dynamic-controller-rate-limiter-rate-limit 10 --dynamic-controller-rate-limiter-burst-limit 100
		--rgd-max-collection-size 2 --rgd-max-collection-dimension-size 10 --rgd-max-graph-revisions 5 --rgd-progress-requeue-delay 3s
		--leader-election-lease-duration 15s --leader-election-renew-deadline 10s --leader-election-retry-period 2s
		--leader-elect --leader-election-namespace `+system+
		` --enable-controller-warmup --feature-gates CELOmitFunction=true,InstanceConditionMetrics=true --pprof-bind-address :6060`)...)
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
	s.expect(t, optional, map[string]string{"Ready": "True AllReady"})
	for name, want := range map[string]bool{"with": true, "without": false} {
		data, _ := s.read(t, object("v1", "ConfigMap", "default", name)).Object["data"].(map[string]any)
		if _, has := data["note"]; has != want || data["a"] != "b" {
			t.Errorf("the data of %s are %v", name, data)
		}
	}
	s.create(t, many)
	s.expect(t, many, map[string]string{"Ready": "False", "GraphResolved": "False ResolutionFailed"})
	s.expect(t, optional, map[string]string{"Ready": "False ResourcesFailed"})

	s.edit(t, optional, func(o *unstructured.Unstructured) {
		o.Object["spec"].(map[string]any)["resources"].([]any)[0].(map[string]any)["template"].(map[string]any)["data"] = map[string]any{
			"a": "${nobody.knows}"}
	})
	s.expect(t, with, map[string]string{"Ready": "True AllReady", "GraphResolved": "True LastAccepted"})
	s.edit(t, with, func(o *unstructured.Unstructured) { o.Object["spec"].(map[string]any)["parts"] = []any{"a", "b", "c"} })
	s.expect(t, with, map[string]string{"Ready": "False", "GraphResolved": "False ResolutionFailed"})
	s.remove(t, without)
	s.gone(t, without)
	s.remove(t, optional)
	for _, want := range []string{
		`dynamic_controller_reconcile_total{gvr="kro.run/v1alpha1/optionals"} `,
		`dynamic_controller_reconcile_duration_seconds_count{gvr="kro.run/v1alpha1/optionals"} `,
		`dynamic_controller_gvr_count `, `dynamic_controller_queue_length `, `dynamic_controller_watch_count `,
		`instance_state_transitions_total{from_state="",gvr="kro.run/v1alpha1, Kind=Optional",to_state="ACTIVE"} 2`,
		`instance_state_transitions_total{from_state="ACTIVE",gvr="kro.run/v1alpha1, Kind=Optional",to_state="ERROR"} `,
		`instance_reconcile_total{gvr="kro.run/v1alpha1, Resource=optionals"} `,
		`instance_reconcile_duration_seconds_count{gvr="kro.run/v1alpha1, Resource=optionals"} `,
		`instance_graph_resolution_success_total{gvr="kro.run/v1alpha1, Resource=optionals"} `,
		`instance_graph_resolution_failures_total{gvr="kro.run/v1alpha1, Resource=optionals",reason="not_available"} `,
		`instance_condition_current_status_seconds{condition_status="False",condition_type="Ready",gvr="kro.run/v1alpha1, Resource=optionals",name="with",namespace="default",reason=`,
		`rgd_graph_build_total{name="optional"} 2`, `rgd_graph_build_errors_total{name="optional"} 1`,
		`rgd_graph_build_duration_seconds_count{name="optional"} 2`,
		`rgd_state_transitions_total{from="Active",name="optional",to="Inactive"} 1`, `rgd_deletions_total{name="optional"} 1`,
		`rgd_deletion_duration_seconds_count{name="optional"} 1`, `rgd_graph_revision_issue_total{reason="no_revision"} `,
		`cel_expr_eval_total `, `runtime_node_eval_total `, `runtime_creation_total `, `schema_resolver_cache_size `,
		`rest_client_request_duration_seconds_count{verb="GET"} `, `kro_status_condition_count{`,
	} {
		s.eventually(t, func() error {
			text, err := world.Get(t.Context(), address+"/metrics")
			if err == nil && !strings.Contains(text, "\n"+want) {
				name, _, _ := strings.Cut(want, "{")
				err = fmt.Errorf("there is no %s; of it there is %s", want,
					strings.Join(slices.DeleteFunc(strings.Split(text, "\n"),
						func(l string) bool { return !strings.HasPrefix(l, strings.TrimSpace(name)) }), "\n"))
			}
			return err
		})
	}
	s.eventually(t, func() error {
		text, err := world.Get(t.Context(), address+"/metrics")
		if err == nil && strings.Contains(text, `name="without"`) {
			err = errors.New("an instance that is gone is still in the metrics")
		}
		return err
	})
}
