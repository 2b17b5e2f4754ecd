// SPDX-License-Identifier: Apache-2.0

package applicationinstance

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/child"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func shop() *api.ApplicationInstance {
	return &api.ApplicationInstance{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "shop", Generation: 1},
		Spec: api.ApplicationInstanceSpec{
			Chart:   api.Chart{SourceType: "oci", URL: "oci://example.com/charts", Name: "odoo", Version: "1.0.0"},
			Release: api.Release{Name: "shop"}}}
}

// TestUnwritten: a child that could not be written is written again without anybody's help, whatever the API server said.
func TestUnwritten(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := api.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	forbidden := apierrors.NewForbidden(schema.GroupResource{Group: "helm.toolkit.fluxcd.io", Resource: "helmreleases"}, "shop",
		errors.New("the policy says no"))
	tests := map[string]struct {
		kind string // that cannot be written
		err  error
		want map[string]string
	}{
		"nothing fails":         {"", nil, map[string]string{TypeReady: "Unknown Reconciling", TypeBlocked: "False Unblocked"}},
		"the source is denied":  {"OCIRepository", forbidden, map[string]string{TypeBlocked: "True PolicyDenied"}},
		"the release is denied": {"HelmRelease", forbidden, map[string]string{TypeBlocked: "True PolicyDenied"}},
		"the source fails": {"OCIRepository", errors.New("etcd is busy"), map[string]string{TypeReady: "Unknown Reconciling",
			TypeBlocked: "False Unblocked"}},
		"the release fails": {"HelmRelease", errors.New("etcd is busy"), map[string]string{TypeReady: "Unknown Reconciling",
			TypeBlocked: "False Unblocked"}},
		"the source is throttled": {"OCIRepository", apierrors.NewTooManyRequests("slow down", 1),
			map[string]string{TypeReady: "Unknown Reconciling", TypeBlocked: "False Unblocked"}},
		"the API server is too old": {"HelmRelease", apierrors.NewNotFound(schema.GroupResource{}, "helmreleases"),
			map[string]string{TypeReady: "Unknown Reconciling", TypeBlocked: "False Unblocked"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := fake.NewClientBuilder().WithScheme(scheme).WithInterceptorFuncs(interceptor.Funcs{
				Apply: func(_ context.Context, _ client.WithWatch, o runtime.ApplyConfiguration, _ ...client.ApplyOption) error {
					if o.(interface{ GetKind() string }).GetKind() == test.kind {
						return test.err
					}
					return nil
				}}).Build()
			g := &gatherer{&kit.Env{Host: &operator.Host{Children: &child.Writer{Client: c, Live: c, Manager: kit.Manager, Domain: kit.Domain}}}}
			o, f := shop(), Facts{Now: start}
			if err := g.act(t.Context(), o, &f); err != nil {
				unwritten(&f, err)
			}
			result := judge(o, f, start).Commit()
			j := conclude(o, f, result, start)
			got := map[string]string{}
			for _, c := range result.Conditions() {
				if test.want[c.Type] != "" {
					got[c.Type] = string(c.Status) + " " + c.Reason
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			again := time.Time{}
			if test.err != nil {
				again = start.Add(operator.Retry)
			}
			if !j.Again.Equal(again) {
				t.Errorf("it is looked at again at %s, want %s", j.Again, again)
			}
		})
	}
}

// results are those of an operator's probes.
type results map[string]kit.ProbeResult

func (r results) Watch(client.ObjectKey, []kit.Probe)                 {}
func (r results) Results(client.ObjectKey) map[string]kit.ProbeResult { return r }

// TestProbes: an operator that was restarted has no results; until it has, those that are stored hold, so that a restart is no transition.
func TestProbes(t *testing.T) {
	const web, admin = "https://web", "https://admin"
	tests := map[string]struct {
		results results
		stored  api.ApplicationInstanceStatus
		want    Facts
	}{
		"never tried": {nil, api.ApplicationInstanceStatus{}, Facts{Untried: true}},
		"both answer": {results{"web": {}, "admin": {}}, api.ApplicationInstanceStatus{},
			Facts{Endpoints: []string{web, admin}}},
		"one fails": {results{"web": {}, "admin": {Failed: true, Reason: "refused"}}, api.ApplicationInstanceStatus{},
			Facts{Endpoints: []string{web, admin}, Endpoint: admin + ": refused"}},
		"restarted": {nil, api.ApplicationInstanceStatus{Endpoints: []string{web, admin}},
			Facts{Endpoints: []string{web, admin}}},
		"restarted while one failed": {nil, api.ApplicationInstanceStatus{Endpoints: []string{web, admin}, UnreachableEndpoint: admin +
			": refused"}, Facts{Endpoints: []string{web, admin}, Endpoint: admin + ": refused"}},
		"it answers after the restart": {results{"admin": {}}, api.ApplicationInstanceStatus{Endpoints: []string{web, admin},
			UnreachableEndpoint: admin + ": refused"}, Facts{Endpoints: []string{web, admin}}},
		"a probe was added": {nil, api.ApplicationInstanceStatus{Endpoints: []string{web}},
			Facts{Untried: true, Endpoints: []string{web}}},
		"a similar address has failed": {nil, api.ApplicationInstanceStatus{Endpoints: []string{web, admin}, UnreachableEndpoint: web +
			".old: refused"}, Facts{Endpoints: []string{web, admin}}},
		"the failed one has its result": {results{"web": {Failed: true, Reason: "503"}},
			api.ApplicationInstanceStatus{Endpoints: []string{web, admin}, UnreachableEndpoint: web + ": refused"},
			Facts{Endpoints: []string{web, admin}, Endpoint: web + ": 503"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := shop()
			o.Spec.Probes = []api.Probe{{Name: "web", URL: web}, {Name: "admin", URL: admin}}
			o.Status = test.stored
			f := Facts{Release: Release{Ready: true}}
			test.want.Release = f.Release
			(&gatherer{&kit.Env{Probes: test.results}}).probes(o, &f)
			if diff := cmp.Diff(test.want, f); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
