// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	revisions "github.com/kubernetes-sigs/kro/api/internal.kro.run/v1alpha1"
	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/graph"
	"github.com/kubernetes-sigs/kro/pkg/metadata"
	"github.com/tristate/tristate/conditions"
	api "github.com/tristate/tristate/systems/kro/operator/api/v1alpha1"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

func established(cells ...string) *apiext.CustomResourceDefinition {
	crd := &apiext.CustomResourceDefinition{}
	for i := 0; i < len(cells); i += 2 {
		crd.Status.Conditions = append(crd.Status.Conditions, apiext.CustomResourceDefinitionCondition{
			Type: apiext.CustomResourceDefinitionConditionType(cells[i]), Status: apiext.ConditionStatus(cells[i+1]), Message: "text"})
	}
	return crd
}

// TestJudge: cells of each kind of fact, in both types and in Ready.
func TestJudge(t *testing.T) {
	going := established("NamesAccepted", "True", "Established", "True")
	going.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	served := established("NamesAccepted", "True", "Established", "True")
	tests := map[string]struct {
		facts Facts
		want  [3]string // Ready, ResourceGraphReady, ResourceGraphKindReady
	}{
		"served":          {Facts{CRD: served}, [3]string{"True AllReady", "True AllReady", "True Accepted"}},
		"not created yet": {Facts{}, [3]string{"Unknown Reconciling", "Unknown ResourcesNotReady", "Unknown Creating"}},
		"not established yet": {Facts{CRD: established("NamesAccepted", "True", "Established", "False")},
			[3]string{"Unknown Reconciling", "Unknown ResourcesNotReady", "Unknown Establishing"}},
		"nothing known of it": {Facts{CRD: established()}, [3]string{"Unknown Reconciling", "Unknown ResourcesNotReady", "Unknown Establishing"}},
		"names not accepted": {Facts{CRD: established("NamesAccepted", "False")}, [3]string{"False NotAccepted", "Unknown ResourcesNotReady",
			"False NotAccepted"}},
		"being deleted": {Facts{CRD: going}, [3]string{"Unknown Reconciling", "Unknown ResourcesNotReady", "Unknown Terminating"}},
		"not watched": {Facts{CRD: served, Watch: errors.New("x")}, [3]string{"Unknown Reconciling", "Unknown ResourcesNotReady",
			"Unknown NotWatched"}},
		"not permitted": {Facts{CRD: served, Watch: apierrors.NewForbidden(schema.GroupResource{Group: "kro.run", Resource: "shops"}, "", nil)},
			[3]string{"False NotPermitted", "Unknown ResourcesNotReady", "False NotPermitted"}},
		"of somebody else": {Facts{CRD: served, Write: &Trouble{ReasonKindTaken, "x"}},
			[3]string{"False KindTaken", "Unknown ResourcesNotReady", "False KindTaken"}},
		"breaks instances": {Facts{CRD: served, Write: &Trouble{ReasonBreakingChange, "x"}},
			[3]string{"False BreakingChange", "Unknown ResourcesNotReady", "False BreakingChange"}},
		"refused": {Facts{Write: &Trouble{ReasonSyncFailed, "x"}}, [3]string{"False SyncFailed", "Unknown ResourcesNotReady",
			"False SyncFailed"}},
		"sent again": {Facts{Write: &Trouble{ReasonRetrying, "x"}}, [3]string{"Unknown Reconciling", "Unknown ResourcesNotReady",
			"Unknown Retrying"}},
		"no instance": {Facts{CRD: served, Instances: Tally{}}, [3]string{"True AllReady", "True AllReady", "True Accepted"}},
		"ready instances": {Facts{CRD: served, Instances: Tally{Total: 2, Ready: 2}},
			[3]string{"True AllReady", "True AllReady", "True Accepted"}},
		"one is not ready": {Facts{CRD: served, Instances: Tally{Total: 2, Ready: 1, Waiting: []string{"a: x"}}},
			[3]string{"Unknown ResourcesNotReady", "Unknown ResourcesNotReady", "True Accepted"}},
		"an instance is made later": {Facts{CRD: served, Before: Trouble{ReasonAllReady, "as before"},
			Instances: Tally{Total: 2, Ready: 1, Waiting: []string{"a: x"}}}, [3]string{"True AllReady", "True AllReady", "True Accepted"}},
		"the failure of one is corrected": {Facts{CRD: served, Before: Trouble{ReasonResourcesFailed, "Shop as before"},
			Instances: Tally{Total: 2, Ready: 1, Waiting: []string{"a: x"}}},
			[3]string{"Unknown ResourcesNotReady", "Unknown ResourcesNotReady", "True Accepted"}},
		"one needs a person": {Facts{CRD: served, Instances: Tally{Total: 2, Waiting: []string{"a: x"}, Failed: []string{"b: x"}}},
			[3]string{"False ResourcesFailed", "False ResourcesFailed", "True Accepted"}},
		"one is not known": {Facts{CRD: served, Instances: Tally{Total: 2, Ready: 1, Pending: []string{"a"}}},
			[3]string{"Unknown ResourcesNotReady", "Unknown ResourcesNotReady", "True Accepted"}},
		"after a restart": {Facts{CRD: served, Before: Trouble{ReasonAllReady, "as before"},
			Instances: Tally{Total: 1, Pending: []string{"a"}}}, [3]string{"True AllReady", "True AllReady", "True Accepted"}},
		"a restart, one fails": {Facts{CRD: served, Before: Trouble{ReasonAllReady, "as before"},
			Instances: Tally{Total: 2, Pending: []string{"a"}, Failed: []string{"b: x"}}}, [3]string{"False ResourcesFailed",
			"False ResourcesFailed", "True Accepted"}},
		"a restart, failed": {Facts{CRD: served, Before: Trouble{ReasonResourcesFailed, "Shop as before"},
			Instances: Tally{Total: 2, Pending: []string{"a"}, Waiting: []string{"b: x"}}}, [3]string{"False ResourcesFailed",
			"False ResourcesFailed", "True Accepted"}},
		"the graph alone": {Facts{CRD: served, GraphOnly: true, Instances: Tally{Total: 1, Failed: []string{"b: x"}}},
			[3]string{"True AllReady", "True AllReady", "True Accepted"}},
		"invalid graph": {Facts{CRD: served, Graph: &Trouble{ReasonGraphInvalid, "x"}},
			[3]string{"False GraphInvalid", "False GraphInvalid", "Unknown WaitingForGraph"}},
		"missing kind": {Facts{Graph: &Trouble{ReasonKindMissing, "x"}}, [3]string{"False KindMissing", "False KindMissing",
			"Unknown WaitingForGraph"}},
		"a kind that comes": {Facts{Graph: &Trouble{ReasonWaitingForKind, "x"}}, [3]string{"Unknown Reconciling", "Unknown WaitingForKind",
			"Unknown WaitingForGraph"}},
		"the server is silent": {Facts{Graph: &Trouble{ReasonRetrying, "x"}}, [3]string{"Unknown Reconciling", "Unknown Retrying",
			"Unknown WaitingForGraph"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.facts.Kind = "Shop"
			p := BeginList(3, nil, time.Unix(1700000000, 0))
			Judge(p, tt.facts)
			r := p.Commit()
			var got [3]string
			for i, name := range []string{TypeReady, TypeResourceGraphReady, TypeResourceGraphKindReady} {
				c := r.Condition(name)
				got[i] = string(c.Status) + " " + c.Reason
				if !strings.Contains(c.Message, "Shop") && c.Reason != "AllReady" && c.Reason != "Reconciling" {
					t.Errorf("%s does not name the kind: %s", name, c.Message)
				}
				if c.ObservedGeneration != 3 {
					t.Errorf("%s is of generation %d", name, c.ObservedGeneration)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("cells (-want +got):\n%s", diff)
			}
			if len(r.Errors) > 0 {
				t.Error(r.Errors)
			}
		})
	}
}

// TestState: the state of a definition, which kro prints and counts, is about the kind that it serves. Neither an instance that is on its
// way nor one that needs a person makes it Inactive.
func TestState(t *testing.T) {
	served, now := established("NamesAccepted", "True", "Established", "True"), time.Unix(1700000000, 0)
	for name, tt := range map[string]struct {
		facts Facts
		want  v1alpha1.ResourceGraphDefinitionState
	}{
		"no instance":               {Facts{CRD: served}, v1alpha1.ResourceGraphDefinitionStateActive},
		"an instance is on its way": {Facts{CRD: served, Instances: Tally{Total: 1, Waiting: []string{"a: x"}}}, v1alpha1.ResourceGraphDefinitionStateActive},
		"an instance has failed":    {Facts{CRD: served, Instances: Tally{Total: 1, Failed: []string{"a: x"}}}, v1alpha1.ResourceGraphDefinitionStateActive},
		"the graph is invalid":      {Facts{CRD: served, Graph: &Trouble{ReasonGraphInvalid, "x"}}, v1alpha1.ResourceGraphDefinitionStateInactive},
		"the kind is not served":    {Facts{}, v1alpha1.ResourceGraphDefinitionStateInactive},
	} {
		t.Run(name, func(t *testing.T) {
			o := &api.ResourceGraphDefinition{}
			got := conclude(o, tt.facts, judge(o, tt.facts, now).Commit(), now).Status.(*status).State
			if got != tt.want {
				t.Errorf("state %s, want %s", got, tt.want)
			}
		})
	}
}

// TestCompare: what is done about the CustomResourceDefinition that is stored.
func TestCompare(t *testing.T) {
	rgd := &v1alpha1.ResourceGraphDefinition{ObjectMeta: metav1.ObjectMeta{Name: "shop", UID: "1"}}
	make := func(size string) *apiext.CustomResourceDefinition {
		crd, err := desired(rgd, &apiext.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "shops.kro.run"},
			Spec: apiext.CustomResourceDefinitionSpec{
				Names: apiext.CustomResourceDefinitionNames{Kind: "Shop"},
				Versions: []apiext.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true,
					Schema: &apiext.CustomResourceValidation{OpenAPIV3Schema: &apiext.JSONSchemaProps{Type: "object",
						Properties: map[string]apiext.JSONSchemaProps{
							"spec":   {Type: "object", Properties: map[string]apiext.JSONSchemaProps{"size": {Type: size}}},
							"status": {Type: "object", Properties: map[string]apiext.JSONSchemaProps{"conditions": {Type: "array"}}},
						}}}}}}})
		if err != nil {
			t.Fatal(err)
		}
		return crd
	}
	other := make("integer")
	other.Labels[metadata.ResourceGraphDefinitionNameLabel] = "other"
	foreign := make("integer")
	foreign.Labels = nil
	kros := make("integer") // as kro itself makes it
	setConditions(&kros.Spec.Versions[0], apiext.JSONSchemaProps{Type: "array"})
	delete(kros.Annotations, AnnotationHash)
	tests := map[string]struct {
		have   *apiext.CustomResourceDefinition
		size   string
		exists bool
		apply  bool
		reason string
	}{
		"none":                 {nil, "integer", false, true, ""},
		"the same":             {make("integer"), "integer", false, false, ""},
		"kro's":                {kros, "integer", false, true, ""},
		"another type":         {make("integer"), "string", false, false, ReasonBreakingChange},
		"another definition's": {other, "integer", true, false, ReasonKindTaken},
		"a definition's, gone": {other, "integer", false, true, ""},
		"somebody else's":      {foreign, "integer", false, false, ReasonKindTaken},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := compare(rgd, make(tt.size), tt.have, func(string) bool { return tt.exists })
			reason := ""
			if got.trouble != nil {
				reason = got.trouble.Reason
			}
			if got.apply != tt.apply || reason != tt.reason {
				t.Errorf("apply %v, reason %q; want %v, %q", got.apply, reason, tt.apply, tt.reason)
			}
		})
	}
	rgd.Annotations = map[string]string{v1alpha1.AllowBreakingChangesAnnotation: "true"}
	if got := compare(rgd, make("string"), make("integer"), nil); !got.apply {
		t.Error("a change that is allowed is not applied")
	}
}

// TestTally: only new reports wake the definition. A listed instance is pending until it reports, and again after the definition changes.
func TestTally(t *testing.T) {
	gvr := schema.GroupVersionResource{Group: "kro.run", Version: "v1alpha1", Resource: "shops"}
	a, b := types.NamespacedName{Namespace: "x", Name: "a"}, types.NamespacedName{Namespace: "x", Name: "b"}
	ready, failed := conditions.Condition{}, conditions.Condition{}
	ready.Status, ready.Reason = conditions.True, "AllReady"
	failed.Status, failed.Reason, failed.Message = conditions.False, "NotReady", "x"
	told := 0
	k := &Kinds{Changed: func(string) { told++ }}
	s := &Served{Definition: "shop", Generation: 1}
	k.Report(gvr, s, a, ready) // of a kind that is not served
	k.set(gvr, s)
	k.listed(gvr, []types.NamespacedName{a, b}, time.Unix(1, 0))
	steps := []struct {
		do   func()
		told int
		want Tally
	}{
		{func() {}, 0, Tally{Total: 2, Pending: []string{"x/a", "x/b"}}},
		{func() { k.Report(gvr, s, a, ready); k.Report(gvr, s, b, failed) }, 1, Tally{Total: 2, Ready: 1, Failed: []string{"x/b: NotReady: x"}}},
		{func() { k.Report(gvr, s, a, ready); k.Report(gvr, s, b, failed) }, 0, Tally{Total: 2, Ready: 1, Failed: []string{"x/b: NotReady: x"}}},
		{func() { k.listed(gvr, []types.NamespacedName{a}, time.Unix(2, 0)) }, 0, Tally{Total: 1, Ready: 1}},
		{func() { k.set(gvr, &Served{Definition: "shop", Generation: 2}) }, 0, Tally{Total: 1, Pending: []string{"x/a"}}},
		{func() { k.Report(gvr, s, a, ready) }, 0, Tally{Total: 1, Pending: []string{"x/a"}}}, // by the former definition
		{func() { k.Forget(gvr, a); k.Forget(gvr, a) }, 1, Tally{}},
	}
	for i, step := range steps {
		told = 0
		step.do()
		got, _ := k.count(gvr)
		if diff := cmp.Diff(step.want, got); diff != "" || told != step.told {
			t.Errorf("step %d: told %d times, want %d; -want +got\n%s", i, told, step.told, diff)
		}
	}
}

// TestLook: when a definition is looked at again that no event brings back: a permission that is granted, a write that was refused.
func TestLook(t *testing.T) {
	served, now := established("NamesAccepted", "True", "Established", "True"), time.Unix(1700000000, 0)
	for name, tt := range map[string]struct {
		facts Facts
		want  time.Duration // 0: only an event brings it back
	}{
		"served":                     {Facts{CRD: served}, 0},
		"not permitted":              {Facts{CRD: served, Watch: errors.New("x")}, again},
		"a write is refused":         {Facts{Write: &Trouble{ReasonSyncFailed, "x"}}, again},
		"an instance is pending":     {Facts{CRD: served, Instances: Tally{Total: 1, Pending: []string{"a"}}}, again},
		"the catalog is not written": {Facts{CRD: served, unkept: []Trouble{{"CatalogNotPublished", "x"}}}, again},
	} {
		t.Run(name, func(t *testing.T) {
			got := time.Duration(0)
			o := &api.ResourceGraphDefinition{}
			if c := conclude(o, tt.facts, judge(o, tt.facts, now).Commit(), now); !c.Again.IsZero() {
				got = c.Again.Sub(now)
			}
			if got != tt.want {
				t.Errorf("looked at again after %s, want %s", got, tt.want)
			}
		})
	}
}

// TestHalt_kindDeleted: "I can delete the CRD KRO has made for me and the controller does not bring it back." It comes back as the last
// accepted generation made it, also while the present generation is not accepted.
func TestHalt_kindDeleted(t *testing.T) {
	rgd := &v1alpha1.ResourceGraphDefinition{ObjectMeta: metav1.ObjectMeta{Name: "shop", UID: "1", Generation: 2},
		Spec: v1alpha1.ResourceGraphDefinitionSpec{Schema: &v1alpha1.Schema{Group: "kro.run", APIVersion: "v1alpha1", Kind: "Shop"}}}
	gvr := metadata.GetResourceGraphDefinitionInstanceGVR("kro.run", "v1alpha1", "Shop")
	last := &graph.Graph{Instance: &graph.Node{Meta: graph.NodeMeta{GVR: gvr}}, CRD: &apiext.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "shops.kro.run"}, Spec: apiext.CustomResourceDefinitionSpec{Group: "kro.run",
			Names: apiext.CustomResourceDefinitionNames{Kind: "Shop", Plural: "shops"}}}}
	scheme := runtime.NewScheme()
	if err := apiext.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(scheme).Build()
	r := &Reconciler{Client: c, Live: c}
	r.accepted.Store("shop", &accepted{compiled: &compiled{uid: "1", generation: 1, graph: last}})
	o := &api.ResourceGraphDefinition{ObjectMeta: rgd.ObjectMeta}
	f := Facts{Kind: "Shop", rgd: rgd, gvr: gvr, Graph: &Trouble{ReasonGraphInvalid, "x"}}
	if err := r.halt(t.Context(), o, &Served{Definition: "shop", Generation: 2}, &f, "x", true); err != nil {
		t.Fatal(err)
	}
	stored := &apiext.CustomResourceDefinition{}
	if err := c.Get(t.Context(), types.NamespacedName{Name: "shops.kro.run"}, stored); err != nil {
		t.Fatalf("the deleted CustomResourceDefinition does not come back: %v", err)
	}
	if stored.Labels[metadata.ResourceGraphDefinitionNameLabel] != "shop" {
		t.Errorf("labels %v do not name the definition", stored.Labels)
	}
}

// TestStatus: the status has the fields of kro: which resource depends on which, and the highest number of a GraphRevision, which never
// decreases.
func TestStatus(t *testing.T) {
	now := time.Unix(1700000000, 0)
	g := &graph.Graph{TopologicalOrder: []string{"web", "svc"}, Nodes: map[string]*graph.Node{
		"web": {Meta: graph.NodeMeta{ID: "web"}}, "svc": {Meta: graph.NodeMeta{ID: "svc", Dependencies: []string{"web"}}}}}
	o := &api.ResourceGraphDefinition{}
	for _, tt := range []struct{ revision, want int64 }{{2, 2}, {1, 2}, {0, 2}, {3, 3}} {
		f := Facts{CRD: established("NamesAccepted", "True", "Established", "True"), Order: g.TopologicalOrder, Resources: dependencies(g),
			Revision: tt.revision}
		got := conclude(o, f, judge(o, f, now).Commit(), now).Status.(*status)
		want := &status{v1alpha1.ResourceGraphDefinitionStateActive, []string{"web", "svc"},
			[]v1alpha1.ResourceInformation{{ID: "svc", Dependencies: []v1alpha1.Dependency{{ID: "web"}}}}, tt.want}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("revision %d (-want +got):\n%s", tt.revision, diff)
		}
		o.Status.LastIssuedRevision = got.LastIssuedRevision
	}
}

// TestKeep: the number of the GraphRevision that was issued last is returned, also in later passes and after a restart.
func TestKeep(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := revisions.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithIndex(&revisions.GraphRevision{}, "spec.snapshot.name", func(o client.Object) []string {
		return []string{o.(*revisions.GraphRevision).Spec.Snapshot.Name}
	}).Build()
	rgd := &v1alpha1.ResourceGraphDefinition{ObjectMeta: metav1.ObjectMeta{Name: "shop", UID: "1", Generation: 1},
		Status: v1alpha1.ResourceGraphDefinitionStatus{LastIssuedRevision: 6}}
	now := &compiled{uid: "1", generation: 1}
	for i, r := range []*Reconciler{{Client: c, Live: c}, {Client: c, Live: c}} { // a second process
		for range 2 {
			if got, err := r.keep(t.Context(), rgd, now); got != 7 || err != nil {
				t.Errorf("process %d: revision %d, %v, want 7", i, got, err)
			}
		}
	}
}
