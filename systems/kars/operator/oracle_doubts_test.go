// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tristate/tristate/proof/plane/deny"
	"github.com/tristate/tristate/proof/world"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// This file has the steps of the oracle that come from strangers: other tenants, hands, and an API server that refuses. None of them
// changes what the document says about the objects of a tenant.

func (p *played) twinName() string { return p.name + "-twin" }

// twin creates, suspends, resumes or deletes the second sandbox of a tenant, which refers to the same policies.
func (o *oracle) twin(t *testing.T, p *played) string {
	was, two := p.twin.box, p.tenant.twin
	if two.box = "plain"; was != "" && o.random.IntN(3) == 0 {
		two.box = ""
	}
	switch {
	case was == "":
		two.wasSuspended, two.asked, two.bound = false, false, o.random.IntN(2) == 0
	case o.random.IntN(2) == 0:
		two.suspended = !two.suspended
	default:
		two.bound = !two.bound
	}
	two.asked = two.asked || two.suspended
	two.edits++
	world.Set(t, o.World, &api.KarsSandbox{ObjectMeta: meta(p.ns, p.twinName())}, was, two.box, func(x *api.KarsSandbox) {
		x.Labels = maps.Clone(team)
		x.Spec = api.KarsSandboxSpec{Runtime: api.RuntimeSpec{Kind: "LangGraph"}, InferenceRef: api.NameRef{Name: "models"},
			Suspended:  two.suspended,
			Governance: &api.GovernanceSpec{ToolPolicyRef: &api.NameRef{Name: "tools"}}}
		if two.bound {
			x.Spec.MemoryRef = &api.NameRef{Name: "notes"}
		}
	})
	return fmt.Sprintf("twin: %q, suspended %v, bound %v", two.box, two.suspended, two.bound)
}

// byHands edits or deletes a child of a sandbox that runs.
func (o *oracle) byHands(t *testing.T, p *played) string {
	if !p.runs() || p.meddled >= 2 { // five repairs of one child in a minute are a fight
		return ""
	}
	if exists, err := o.exists(t, p); err != nil || !exists {
		return ""
	}
	from, do := edits, o.byHand
	if o.random.IntN(4) == 0 {
		from, do = claimed, o.asOperator
	}
	name := slices.Sorted(maps.Keys(from))[o.random.IntN(len(from))]
	child := from[name].object(p.name)
	if err := o.API.Get(t.Context(), client.ObjectKeyFromObject(child), child); err != nil { // its creation may be refused
		return ""
	}
	p.meddled++
	do(t, p.name, from[name])
	return "by hand: " + name
}

// rendered reports whether a sandbox that is blocked has both Deployments.
func (o *oracle) rendered(t *testing.T, one *tenant, name string) bool {
	t.Helper()
	for _, deployment := range []string{name, kit.AgentName(name)} {
		err := o.API.Get(t.Context(), client.ObjectKey{Namespace: kit.SandboxNamespace(name), Name: deployment}, &appsv1.Deployment{})
		if client.IgnoreNotFound(err) != nil {
			t.Fatal(err)
		}
		if err != nil || one.blocked() == "" {
			return false
		}
	}
	return true
}

// exists reports whether the workload of a box does.
func (o *oracle) exists(t *testing.T, p *played) (bool, error) {
	t.Helper()
	names := map[string]bool{}
	for _, c := range o.components(t, p.name) {
		names[c.GetObjectKind().GroupVersionKind().Kind+" "+c.GetName()] = true
	}
	return names["Deployment "+p.name] && names["Deployment "+kit.AgentName(p.name)] && names["ConfigMap "+kit.AllowlistName(p.name)], nil
}

// intact tests that what was changed by hand is as it was.
func (o *oracle) intact(t *testing.T) {
	t.Helper()
	for _, p := range o.tenants {
		o.replicas(t, p)
		if p.meddled == 0 {
			continue
		}
		p.meddled = 0
		if !p.runs() {
			continue
		}
		world.Eventually(t, func() error {
			for key, content := range o.contents(t, p.name) {
				if strings.Contains(content, "evil") || strings.Contains(content, "192.0.2.1") {
					return fmt.Errorf("%s of %s is %s", key, p.name, content)
				}
			}
			if whole, err := o.exists(t, p); err != nil || !whole {
				return fmt.Errorf("the workload of %s is not there: %v", p.name, err)
			}
			return nil
		})
	}
}

// replicas tests statement 17, "spec.suspended: true; Deployment scaled to 0", whatever blocks the sandbox, and that it is not 0 otherwise.
// A sandbox that is blocked and not suspended may have a workload from before.
func (o *oracle) replicas(t *testing.T, p *played) {
	t.Helper()
	for name, one := range map[string]*tenant{p.name: p.tenant, p.twinName(): p.tenant.twin} {
		blocked := one.blocked() != ""
		if one.box == "" || blocked && !one.suspended || !blocked && one.overlay {
			continue
		}
		want := int32(1)
		if one.suspended {
			want = 0
		}
		for _, deployment := range []string{name, kit.AgentName(name)} {
			world.Eventually(t, func() error { // one that was edited by hand may not have been looked at yet
				var d appsv1.Deployment
				err := o.API.Get(t.Context(), client.ObjectKey{Namespace: kit.SandboxNamespace(name), Name: deployment}, &d)
				if blocked && apierrors.IsNotFound(err) {
					return nil
				}
				if err == nil && *d.Spec.Replicas != want {
					err = fmt.Errorf("it has %d replicas, want %d", *d.Spec.Replicas, want)
				}
				if err != nil {
					return fmt.Errorf("Deployment %s: %w", deployment, err)
				}
				return nil
			})
		}
	}
}

// namesake is another tenant with a sandbox of the same name and a grant for it: neither is ever Ready, and nothing of it reaches the box.
func (o *oracle) namesake(t *testing.T, p *played) string {
	other := o.tenants[o.random.IntN(len(o.tenants))]
	if other == p || p.box == "" || p.box == "no adapter" || p.blocked() != "" || p.overlay {
		return ""
	}
	theirs := newSandbox(other.ns, p.name)
	theirs.Spec.NetworkPolicy = &api.NetworkSpec{AllowedEndpoints: []api.Endpoint{{Host: "evil.example.com"}}}
	what := []string{"sandbox", "overlay", "list"}[o.random.IntN(3)]
	switch what {
	case "overlay":
		theirs.Spec.UpstreamCompatibility = &api.UpstreamSpec{SigsAgentSandbox: "overlay", UpstreamSandboxRef: &api.NameRef{Name: "theirs"}}
	case "list":
		theirs.Spec.NetworkPolicy = &api.NetworkSpec{AllowlistRef: &other.forged}
	}
	grant := &api.EgressApproval{ObjectMeta: meta(other.ns, "opener"), Spec: api.EgressApprovalSpec{Sandbox: p.name,
		Hosts:  []api.Endpoint{{Host: "evil.example.com"}},
		Reason: "an incident", TTL: "PT1H"}}
	if held, err := o.exists(t, p); err != nil || !held {
		return "" // the name is free as long as nothing of the box exists
	}
	o.Create(t, theirs)
	o.Create(t, grant)
	for _, object := range []client.Object{theirs, grant} {
		world.Eventually(t, func() error { return o.Judged(t, object, "Ready") })
		if c := o.Condition(t, object, "Ready"); c.Status == "True" {
			t.Errorf("%s of another tenant is Ready: %s", world.Key(object), c.Reason)
		}
	}
	for key, content := range o.contents(t, p.name) {
		if strings.Contains(content, "evil.example.com") {
			t.Errorf("%s of %s has the destination of another tenant: %s", key, p.name, content)
		}
	}
	for _, object := range []client.Object{grant, theirs} {
		o.Remove(t, object)
		o.Gone(t, object)
	}
	return "namesake: " + what + " of " + other.ns
}

// refused has the API server refuse a write of a child: one of any kind is deleted by hand, and the operator may not make it again.
// Statements 13 and 22 say what the sandbox says meanwhile: "Failed: reconciling failed; the message says what". Steps go on until it may.
func (o *oracle) refused(t *testing.T, p *played) string {
	if held, err := o.exists(t, p); err != nil || !held || !p.runs() || p.meddled >= 2 {
		return ""
	}
	var gone []string
	for name, e := range edits {
		if e.patch == "" {
			gone = append(gone, name)
		}
	}
	slices.Sort(gone)
	name := gone[o.random.IntN(len(gone))]
	e := edits[name]
	at := denied[e.kind]
	at.User, at.Namespace = o.User(), kit.SandboxNamespace(p.name)
	allow, err := deny.Writes(t.Context(), o.API, at)
	if err != nil {
		t.Fatal(err)
	}
	p.meddled++
	o.byHand(t, p.name, e)
	box := &api.KarsSandbox{ObjectMeta: p.meta("KarsSandbox")}
	world.Eventually(t, func() error {
		c := o.Condition(t, box, "Ready")
		if c == nil || c.Status != "False" || c.Reason != "Failed" || !strings.Contains(c.Message, deny.Message) ||
			!strings.Contains(c.Message, e.kind) {
			return fmt.Errorf("%s, which may not be written: Ready is %+v, want False Failed with the refusal", name, c)
		}
		return nil
	})
	what := "refused: " + name + ", meanwhile " + o.step(t, p) + ", " + o.step(t, p)
	if err := allow(); err != nil {
		t.Fatal(err)
	}
	return what
}

// refuses has the API server refuse one write of the operator for a tenant, of a child, a published artifact or a status, with the next
// step: by a policy, because the server is in trouble, by a conflict, or, of a status, as if the object were gone. Nothing in the
// document is about such a moment, so the statuses are those of the step alone once the operator has tried again.
func (o *oracle) refuses(p *played) {
	code := []int{http.StatusForbidden, http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusConflict,
		http.StatusNotFound}[o.random.IntN(5)]
	where := []string{"/namespaces/" + kit.SandboxNamespace(p.name), "/namespaces/" + p.ns + "/"}[o.random.IntN(2)]
	skip := o.random.IntN(3) // not always the first one
	o.next.Write(code, func(_, path string) bool {
		if !strings.Contains(path, where) || code == http.StatusNotFound && !strings.HasSuffix(path, "/status") {
			return false
		}
		skip--
		return skip < 0
	})
}

// forgets removes the status of an object whose next one follows from the object alone, and from what routers report.
func (o *oracle) forgets(t *testing.T, p *played) string {
	exist := map[string]bool{"A2AAgent": p.agent != "", "McpServer": p.server != "", "EgressApproval": p.grant != "",
		"ToolPolicy": p.tools != "" && p.tools != "malformed", "InferencePolicy": p.models != "" && p.models != "contradictory"}
	maps.DeleteFunc(exist, func(_ string, is bool) bool { return !is })
	if len(exist) == 0 {
		return ""
	}
	kind := slices.Sorted(maps.Keys(exist))[o.random.IntN(len(exist))]
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(api.GroupVersion.WithKind(kind))
	object.SetNamespace(p.ns)
	object.SetName(objectName(kind, p))
	patch := client.RawPatch(types.MergePatchType, []byte(`{"status":null}`))
	if err := o.API.Status().Patch(t.Context(), object, patch); err != nil {
		t.Fatal(err)
	}
	delete(p.waits, kind) // a wait is stored in the status
	return "the status of " + kind + " is removed"
}

// premade makes the namespace of a sandbox before the sandbox, with the owner's name on it: the sandbox is Failed ("reconcile failed; see
// message") until it is gone, and nothing is put there.
func (o *oracle) premade(t *testing.T, p *played) string {
	p.late++
	box := newSandbox(p.ns, fmt.Sprintf("%s-late-%d", p.name, p.late))
	box.Spec.InferenceRef.Name = "models"
	if p.models == "" {
		return ""
	}
	theirs := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: kit.SandboxNamespace(box.Name), Annotations: map[string]string{
		kit.Domain + "/owner": "KarsSandbox/" + p.ns + "/" + box.Name + "/00000000-0000-0000-0000-000000000000"}}}
	o.Create(t, theirs)
	o.Create(t, box)
	world.Eventually(t, func() error {
		c := o.Condition(t, box, "Ready")
		if c == nil || c.Status != "False" || c.Reason != "Failed" || !strings.Contains(c.Message, theirs.Name) {
			return fmt.Errorf("its namespace was made beforehand: Ready is %+v, want False Failed", c)
		}
		return nil
	})
	if err := o.API.Get(t.Context(), client.ObjectKey{Namespace: theirs.Name, Name: kit.TokenSecret}, &corev1.Secret{}); err == nil {
		t.Errorf("the token of a router is in Namespace %s, which somebody else has made", theirs.Name)
	}
	o.Remove(t, box)
	o.Gone(t, box)
	o.Remove(t, theirs)
	return "a namespace is made first"
}

// denied are the resources of the kinds of children.
var denied = map[string]deny.Rule{
	"Deployment": {Group: "apps", Resource: "deployments"}, "NetworkPolicy": {Group: "networking.k8s.io", Resource: "networkpolicies"},
	"Service": {Resource: "services"}, "ServiceAccount": {Resource: "serviceaccounts"}, "ConfigMap": {Resource: "configmaps"},
}
