// SPDX-License-Identifier: Apache-2.0

package applicationinstance

import (
	"github.com/tristate/tristate/conditions"
	"strings"
	"testing"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/child"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// TestMissingChartSource: Blocked=True MissingChartSource is for a configured source that does not exist. One that cannot be reached, or
// that may not be read, is none of these, and a corrected spec is applied.
func TestMissingChartSource(t *testing.T) {
	type condition = metav1.Condition
	failed := func(reason, message string) []condition {
		return []condition{{Type: fluxmeta.ReadyCondition, Status: "False", Reason: reason, Message: message, ObservedGeneration: 1},
			{Type: sourcev1.FetchFailedCondition, Status: "True", Reason: reason, Message: message, ObservedGeneration: 1}}
	}
	pull := func(message string) []condition {
		return failed(sourcev1.OCIPullFailedReason, "failed to determine artifact digest: "+message)
	}
	none := pull("GET https://registry.example.com/v2/charts/odoo/manifests/1.0.0: MANIFEST_UNKNOWN: manifest unknown")
	tests := map[string]struct {
		conditions []condition
		change     func(*api.ApplicationInstance)
		want       bool
	}{
		"nothing is known yet": {},
		"no such version":      {conditions: none, want: true},
		"no such repository": {
			conditions: pull("GET https://registry.example.com/v2/charts/odoo/manifests/1.0.0: NAME_UNKNOWN: repository name not known to registry"),
			want:       true},
		"answered to a HEAD": {
			conditions: pull("HEAD https://registry.example.com/v2/charts/odoo/manifests/1.0.0: unexpected status code 404 Not Found (HEAD responses have no body, use GET for details)"), want: true},
		"no address": {conditions: []condition{{Type: fluxmeta.StalledCondition, Status: "True", Reason: sourcev1.URLInvalidReason,
			Message: "URL validation failed", ObservedGeneration: 1}}, want: true},
		"a registry that is away": {conditions: pull("dial tcp 192.0.2.1:443: connect: connection refused")},
		"a registry that is busy": {
			conditions: pull("GET https://registry.example.com/v2/charts/odoo/manifests/1.0.0: unexpected status code 503 Service Unavailable")},
		"a registry that asks who": {
			conditions: pull("GET https://registry.example.com/v2/charts/odoo/manifests/1.0.0: UNAUTHORIZED: authentication required")},
		"the version was corrected": {conditions: none, change: func(o *api.ApplicationInstance) { o.Spec.Chart.Version = "1.0.1" }},
		"the address was corrected": {conditions: none,
			change: func(o *api.ApplicationInstance) { o.Spec.Chart.URL = "oci://example.org/charts" }},
	}
	gvk := kit.GVK("source.toolkit.fluxcd.io", "OCIRepository")
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := api.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			c := fake.NewClientBuilder().WithScheme(scheme).Build()
			g := &gatherer{&kit.Env{Host: &operator.Host{Children: &child.Writer{Client: c, Live: c, Manager: kit.Manager, Domain: kit.Domain}}}}
			o := shop()
			o.UID = "1"
			source, _, err := children(o)
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Children.Ensure(t.Context(), o, source); err != nil {
				t.Fatal(err)
			}
			live := &unstructured.Unstructured{}
			live.SetGroupVersionKind(gvk)
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(source), live); err != nil {
				t.Fatal(err)
			}
			status, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&sourcev1.OCIRepositoryStatus{ObservedGeneration: 1,
				Conditions: test.conditions})
			if err != nil {
				t.Fatal(err)
			}
			live.Object["status"] = status
			live.SetGeneration(1)
			if test.change != nil {
				test.change(o)
				if source, _, err = children(o); err != nil {
					t.Fatal(err)
				}
			}
			f := Facts{Now: start}
			if err := g.source(o, source, live, &f); err != nil {
				t.Fatal(err)
			}
			if err := g.act(t.Context(), o, &f); err != nil {
				unwritten(&f, err)
			}
			if test.change != nil && f.Source.Failed != "" {
				t.Errorf("after the correction it still reports: %s", f.Source.Failed)
			}
			want := ""
			if test.want {
				want = "True MissingChartSource"
			}
			if _, got := judged(t, conditions.Result{}, f); strings.TrimPrefix(got[TypeBlocked], "False Unblocked") != want {
				t.Errorf("Blocked is %q, want %q", got[TypeBlocked], want)
			}
		})
	}
}
