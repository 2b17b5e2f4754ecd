// SPDX-License-Identifier: Apache-2.0

package applicationinstance

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/conditionstest"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// judged makes a pass over what the one before has left.
func judged(t *testing.T, before conditions.Result, f Facts) (conditions.Result, map[string]string) {
	t.Helper()
	p := BeginList(1, before.Conditions(), f.Now)
	p.Untyped().SetWaits(before.Waits)
	Judge(p, f)
	r := conditionstest.Commit(t, p)
	return r, conditionstest.Cells(r)
}

// away is a wait for a chart source that is not reachable since a moment.
func away(since time.Time) conditions.Result {
	return conditions.Result{Waits: []conditions.Wait{{Type: TypeDegraded, Reason: ReasonChartUnreachable, Since: metav1.Time{Time: since}}}}
}

// grace is how long a chart source may be unreachable before the instance is degraded.
const grace = 5 * time.Minute

// TestPrecedence: with every failure at once the first one of the table wins, and so on with each that is mended.
func TestPrecedence(t *testing.T) {
	f := Facts{Now: start, Source: Source{Exists: true, Fetching: true, Failed: "refused"}, NoSecret: "s", NoCertificate: "c", Untried: true,
		Warnings: []string{"w"},
		Release:  Release{Exists: true, Judged: true, Failed: "f"}}
	steps := []struct {
		mend func()
		want string
	}{
		{func() {}, "False ChartUnreachable"},
		{func() { f.Source = Source{Exists: true} }, "False HelmReleaseFailed"},
		{func() { f.Release.Failed = "" }, "False WaitingForSecret"},
		{func() { f.NoSecret = "" }, "False WaitingForCertificate"},
		{func() { f.NoCertificate = "" }, "False Installing"},
		{func() { f.Release.Before = true }, "False Upgrading"},
		{func() { f.Release.Ready = true }, "Unknown Reconciling"},
		{func() { f.Untried = false }, "True HelmReleaseReadyWithWarnings"},
		{func() { f.Warnings = nil }, "True HelmReleaseReady"},
		{func() { f.Endpoint = "e" }, "False EndpointUnreachable"},
		{func() { f.Release, f.Endpoint = Release{}, "" }, "Unknown Reconciling"},
	}
	for _, step := range steps {
		step.mend()
		if _, got := judged(t, conditions.Result{}, f); got[TypeReady] != step.want {
			t.Errorf("Ready is %s, want %s", got[TypeReady], step.want)
		}
	}
}

func TestJudge(t *testing.T) {
	running := Release{Exists: true, Judged: true, Ready: true, Before: true}
	halted, paused, upgrading := running, running, running
	halted.Suspended, paused.Suspended, paused.Paused = true, true, true
	upgrading.Suspended, upgrading.Ready = true, false // another version is asked for, and its controller does not look at it
	tests := map[string]struct {
		facts Facts
		want  map[string]string
	}{
		"suspension does not change Ready": {Facts{Manual: true, Window: true, Release: paused},
			map[string]string{TypeSuspended: "True ManuallySuspended", TypeReady: "True HelmReleaseReady", TypeReconciling: "False Stable"}},
		"a window": {Facts{Window: true, Release: paused}, map[string]string{TypeSuspended: "True MaintenanceWindow"}},
		"suspended, and the write was refused": {Facts{Manual: true, Release: running},
			map[string]string{TypeSuspended: "False Active", TypeReady: "True HelmReleaseReady"}},
		"a window, and the write was refused": {Facts{Window: true, Release: running}, map[string]string{TypeSuspended: "False Active"}},
		"nothing to suspend":                  {Facts{Manual: true}, map[string]string{TypeSuspended: "True ManuallySuspended"}},
		"resumed, and the write was refused":  {Facts{Release: paused}, map[string]string{TypeSuspended: "True ManuallySuspended"}},
		"an administrator suspends the HelmRelease": {Facts{Release: halted}, map[string]string{TypeSuspended: "True ManuallySuspended",
			TypeReady: "True HelmReleaseReady", TypeReconciling: "False Stable"}},
		"an administrator suspends it before an upgrade": {Facts{Release: upgrading}, map[string]string{
			TypeSuspended: "True ManuallySuspended", TypeReady: "Unknown Reconciling", TypeReconciling: "False Stable"}},
		"blockers": {Facts{Controllers: []string{"flux"}, NoSource: "x", Denied: "y", Unapproved: "z"},
			map[string]string{TypeBlocked: "True MissingDependencies", TypeReady: "False Installing", TypeReconciling: "False Stable"}},
		"no source": {Facts{NoSource: "x", Denied: "y", Unapproved: "z"},
			map[string]string{TypeBlocked: "True MissingChartSource"}},
		"denied": {Facts{Denied: "y", Unapproved: "z"}, map[string]string{TypeBlocked: "True PolicyDenied"}},
		"unapproved": {Facts{Unapproved: "z", Release: running}, map[string]string{TypeBlocked: "True AwaitingApproval",
			TypeReady: "True HelmReleaseReady"}},
		"fetching outranks installing": {Facts{Source: Source{Exists: true, Fetching: true}, Release: Release{Exists: true}},
			map[string]string{TypeReconciling: "True ChartSourceSyncing"}},
		"just created": {Facts{Source: Source{Exists: true}, Release: Release{Exists: true}},
			map[string]string{TypeReconciling: "True HelmReleaseInstalling", TypeReady: "Unknown Reconciling"}},
		"running while its source is away": {Facts{Source: Source{Exists: true, Failed: "x"}, Release: running},
			map[string]string{TypeReady: "True HelmReleaseReady", TypeDegraded: "-"}},
		"a failed upgrade": {Facts{Release: Release{Exists: true, Judged: true, Before: true, Failed: "x", Degraded: "x"}},
			map[string]string{TypeReady: "False HelmReleaseFailed", TypeDegraded: "True HelmReleaseDegraded"}},
		"drift": {Facts{Drift: "x", Release: running}, map[string]string{TypeReady: "True HelmReleaseReady",
			TypeDegraded: "True Drifted"}},
		"uninstalling": {Facts{Deleting: true, ReleaseLeft: true, Release: running},
			map[string]string{TypeDeleting: "True Uninstalling", TypeReconciling: "False Stable"}},
		"waiting for children": {Facts{Deleting: true, Children: []string{"Service web"}},
			map[string]string{TypeDeleting: "True WaitingForChildResources", TypeReady: "Unknown Reconciling"}},
		"never deleting": {Facts{Release: running}, map[string]string{TypeDeleting: "-", TypeDegraded: "-",
			TypeBlocked: "False Unblocked", TypeSuspended: "False Active"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.facts.Now = start
			_, got := judged(t, conditions.Result{}, test.facts)
			for conditionType, want := range test.want {
				have, ok := got[conditionType]
				if !ok {
					have = "-"
				}
				if have != want {
					t.Errorf("%s is %s, want %s", conditionType, have, want)
				}
			}
		})
	}
}

// TestBoth: a failed upgrade and a registry that is away are one condition, whose message has both.
func TestBoth(t *testing.T) {
	r, _ := judged(t, away(start.Add(-grace)), Facts{Now: start,
		Source:  Source{Exists: true, Failed: "the registry is away"},
		Release: Release{Exists: true, Judged: true, Ready: true, Before: true, Degraded: "the upgrade failed"}})
	c := r.Condition(TypeDegraded)
	if c.Reason != ReasonHelmReleaseDegraded || !strings.Contains(c.Message, "the upgrade failed") ||
		!strings.Contains(c.Message, "the registry is away") {
		t.Errorf("Degraded is %s %s: %q", c.Status, c.Reason, c.Message)
	}
}

// TestRecovered: Degraded is absent until it was True once, and changes exactly at the end of the grace.
func TestRecovered(t *testing.T) {
	f := Facts{Now: start, Source: Source{Exists: true, Failed: "x"}, Release: Release{Exists: true, Judged: true, Ready: true, Before: true}}
	r, got := judged(t, conditions.Result{}, f)
	if cell, there := got[TypeDegraded]; there {
		t.Errorf("Degraded is %s", cell)
	}
	f.Now = start.Add(grace - time.Second)
	if r, got = judged(t, r, f); got[TypeDegraded] != "" || !r.RequeueAt.Equal(start.Add(grace)) {
		t.Errorf("Degraded is %s in the last second of the grace, looked at again at %s", got[TypeDegraded], r.RequeueAt)
	}
	f.Now = start.Add(grace)
	if r, got = judged(t, r, f); got[TypeDegraded] != "True ChartUnreachable" || r.Waits != nil {
		t.Errorf("Degraded is %s at the end of the grace; waits %v", got[TypeDegraded], r.Waits)
	}
	f.Source = Source{Exists: true}
	if _, got = judged(t, r, f); got[TypeDegraded] != "False Recovered" {
		t.Errorf("Degraded is %s afterwards", got[TypeDegraded])
	}
}

func TestRender(t *testing.T) {
	o := &api.ApplicationInstance{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "shop"}, Spec: api.ApplicationInstanceSpec{
		Chart:        api.Chart{SourceType: "oci", URL: "oci://example.com/charts/", Name: "odoo", Version: "1.0.0+b1"},
		Release:      api.Release{Name: "shop"},
		Integrations: api.Integrations{Ingress: api.Ingress{Enabled: true, Host: "shop.example.com"}},
		Values: &api.Values{Source: "inline",
			Inline: &apiextensionsv1.JSON{Raw: []byte(`{"ingress":{"host":"other.example.com"},"n":1}`)}}}}
	source, release, err := children(o)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]any{}
	for name, path := range map[string][]string{"url": {"spec", "url"}, "ref": {"spec", "ref"}} {
		got[name], _, _ = unstructured.NestedFieldNoCopy(source.Object, path...)
	}
	for name, path := range map[string][]string{"values": {"spec", "values"}, "chart": {"spec", "chartRef", "name"}} {
		got[name], _, _ = unstructured.NestedFieldNoCopy(release.Object, path...)
	}
	want := map[string]any{"url": "oci://example.com/charts/odoo", "ref": map[string]any{"tag": "1.0.0_b1"}, "chart": "shop-source",
		"values": map[string]any{"ingress": map[string]any{"enabled": true, "host": "other.example.com"}, "n": int64(1)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if len(warnings(o)) != 1 {
		t.Errorf("warnings: %v", warnings(o))
	}
}
