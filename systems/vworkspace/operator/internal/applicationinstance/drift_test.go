// SPDX-License-Identifier: Apache-2.0

package applicationinstance

import (
	"errors"
	"strings"
	"testing"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/child"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// TestReleaseAccount: by the setting a chart is installed as an account of the namespace of its instance.
func TestReleaseAccount(t *testing.T) {
	for _, account := range []string{"", "tenant"} {
		_, release, err := (&gatherer{&kit.Env{Settings: kit.Settings{ReleaseAccount: account}}}).children(shop())
		if err != nil {
			t.Fatal(err)
		}
		if have, _, _ := unstructured.NestedString(release.Object, "spec", "serviceAccountName"); have != account {
			t.Errorf("the chart is installed as %q, want %q", have, account)
		}
	}
}

// TestDrift: "Drift detection found a mismatch between desired and live state. The operator reports; it does not auto-remediate." An edit
// of the HelmRelease, a value that is added to it, and an edit of the source are each reported. They stay however often the operator looks,
// also after a restart. Another spec is applied.
func TestDrift(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := errors.Join(api.AddToScheme(scheme), helmv2.AddToScheme(scheme), sourcev1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		of    int // 0: the source, 1: the release
		value any
		path  []string
		again bool // another spec of the instance sets it back
	}{
		"an interval":       {1, "1h0m0s", []string{"spec", "interval"}, true},
		"a value":           {1, "other", []string{"spec", "values", "host"}, true},
		"a value is added":  {1, "hotfix", []string{"spec", "values", "image"}, false},
		"the tag of source": {0, "9.9.9", []string{"spec", "ref", "tag"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := fake.NewClientBuilder().WithScheme(scheme).WithReturnManagedFields().Build()
			o, now := shop(), Facts{Now: start}
			o.Spec.Values = &api.Values{Source: "inline", Inline: &apiextensionsv1.JSON{Raw: []byte(`{"host":"shop"}`)}}
			stored := func() (live *unstructured.Unstructured, drift []string) {
				t.Helper()
				source, release, err := children(o)
				if err != nil {
					t.Fatal(err)
				}
				g := &gatherer{&kit.Env{Host: &operator.Host{Children: &child.Writer{Client: c, Live: c, Manager: kit.Manager, Domain: kit.Domain}}}}
				for range 3 {
					f := now
					if err := g.act(t.Context(), o, &f); err != nil {
						t.Fatal(err)
					}
				}
				desired := []*unstructured.Unstructured{source, release}[test.of]
				live = desired.DeepCopy()
				if err := c.Get(t.Context(), client.ObjectKeyFromObject(live), live); err != nil {
					t.Fatal(err)
				}
				if drift, err = g.edited(o, desired, live, true); err != nil {
					t.Fatal(err)
				}
				return live, drift
			}
			live, drift := stored()
			if len(drift) > 0 {
				t.Fatalf("untouched, it is reported: %v", drift)
			}
			if err := unstructured.SetNestedField(live.Object, test.value, test.path...); err != nil {
				t.Fatal(err)
			}
			if err := c.Update(t.Context(), live, client.FieldOwner("kubectl-edit")); err != nil {
				t.Fatal(err)
			}
			path := strings.Join(test.path, ".")
			for range 2 { // each with an operator that was restarted
				live, drift = stored()
				if have, _, _ := unstructured.NestedFieldNoCopy(live.Object, test.path...); have != test.value {
					t.Errorf("%s is %v: the edit is remediated", path, have)
				}
				if len(drift) != 1 || !strings.HasSuffix(drift[0], " is not as it was applied: "+path) {
					t.Errorf("%q is reported, want %s", drift, path)
				}
			}
			o.Spec.Chart.Version = "1.1.0"
			if live, drift = stored(); test.again == (len(drift) > 0) {
				t.Errorf("another version is applied, and %q is reported", drift)
			}
			if have, _, _ := unstructured.NestedFieldNoCopy(live.Object, test.path...); test.again == (have == test.value) {
				t.Errorf("another version is applied, and %s is %v", path, have)
			}
		})
	}
}
