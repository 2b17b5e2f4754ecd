// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubernetes-sigs/kro/pkg/controller/instance/applyset"
	"github.com/tristate/tristate/proof/plane/deny"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// step makes one random step in a game, in the cluster and in what is expected of it, and describes it.
func (o *oracle) step(t *testing.T, g *game) string {
	t.Helper()
	_, refused := g.refusal()
	what := ""
	switch n := o.random.IntN(30); {
	case g.gone && n < 10:
		what = "the definition is made anew"
		o.create(t, g.yaml(t))
		g.gone = false
	case refused != "" && n < 8:
		what = o.mend(t, g)
	case n < 10:
		what = o.edit(t, g, n)
	case n == 10 && refused == "":
		what = o.together(t, g)
	case n == 11:
		what = "the CustomResourceDefinition is deleted"
		g.crd, g.done = nil, ""
		for _, p := range g.players {
			*p = player{}
		}
		o.replaced(t, object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", g.plural()+".kro.run"))
	case n == 12 && !g.gone:
		what = "the definition is deleted and made anew"
		g.served = nil // it is another one
		o.replaced(t, g.yaml(t))
		o.create(t, g.yaml(t))
		g.excused = true // until it is there again somebody has to make it
	case n == 13 && !g.gone:
		what = "the definition is deleted"
		o.replaced(t, g.yaml(t))
		g.gone, g.served = true, nil
	case n == 14:
		what = o.spoil(t, g)
	case n < 18:
		what = o.lend(t, g, []string{"a", "b"}[o.random.IntN(2)])
	case g.crd == nil:
		what = "nothing: there is no kind to make an instance of"
	default:
		what = o.play(t, g, []string{"a", "b"}[o.random.IntN(2)])
	}
	kind, _, _ := strings.Cut(what, ":")
	o.taken[kind]++
	return what
}

// spoil edits or deletes the catalog of a kind, as far as there is one.
func (o *oracle) spoil(t *testing.T, g *game) string {
	t.Helper()
	if o.read(t, g.catalog()) == nil {
		return "nothing: there is no catalog"
	}
	if o.random.IntN(2) == 0 {
		o.replaced(t, g.catalog())
		return "catalog: deleted"
	}
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		u := o.read(t, g.catalog())
		if u == nil { // its definition is not long gone
			return nil
		}
		list, _, _ := unstructured.NestedSlice(u.Object, "spec", "conditions")
		list = slices.DeleteFunc(list, func(c any) bool { return c.(map[string]any)["type"] == "resources.kro.run/web" })
		_ = unstructured.SetNestedSlice(u.Object, list, "spec", "conditions")
		return client.IgnoreNotFound(o.API.Update(t.Context(), u))
	})
	if err != nil {
		t.Fatal(err)
	}
	return "catalog: edited"
}

// lend makes, changes or deletes the Deployment of somebody else that an instance may refer to.
func (o *oracle) lend(t *testing.T, g *game, name string) string {
	t.Helper()
	was := g.lent[name]
	next := []string{ready, hangs, failed, ""}[o.random.IntN(4)]
	if was == failed && next == hangs { // a Deployment that has timed out says so until there is progress
		next = ready
	}
	deployment := lent(t, g.lentBy(name), next)
	g.lent[name] = next
	switch {
	case next == "":
		delete(g.lent, name)
		o.remove(t, deployment)
		o.gone(t, deployment)
	case was == "":
		o.create(t, deployment)
	default:
		o.side.edit(t, deployment, func(u *unstructured.Unstructured) { u.Object["spec"] = deployment.Object["spec"] })
	}
	return "somebody else: the Deployment that " + name + " refers to " + next
}

// write stores the definition as it is drafted.
func (o *oracle) write(t *testing.T, g *game) {
	t.Helper()
	want := g.yaml(t)
	o.side.edit(t, want, func(u *unstructured.Unstructured) {
		u.Object["spec"] = want.Object["spec"]
		u.SetAnnotations(want.GetAnnotations())
	})
}

// edit changes the definition.
func (o *oracle) edit(t *testing.T, g *game, n int) string {
	t.Helper()
	d := &g.draft
	what := ""
	switch {
	case n < 2 || n == 9 && !d.lamp:
		d.tag++
		what = "definition: a template changes"
	case n == 2 || n == 3 && len(d.extras) == 0:
		next := 0
		for slices.Contains(d.extras, next) {
			next++
		}
		d.extras = append(slices.Clone(d.extras), next)
		what = "definition: the schema gains a field"
	case n == 3:
		d.extras = slices.Clone(d.extras)[:len(d.extras)-1]
		what = "definition: the schema loses a field"
	case n == 4:
		d.side = !d.side
		what = "definition: a resource comes or goes"
	case n == 5:
		d.lamp = !d.lamp
		what = "definition: a resource of a kind that may be missing comes or goes"
	case n == 6 && o.random.IntN(2) == 0:
		d.outside = []string{"", plain, decided}[o.random.IntN(3)]
		what = "definition: a reference to an object of somebody else"
	case n == 6:
		d.broken = []string{"cel", "cycle"}[o.random.IntN(2)]
		what = "definition: the graph becomes invalid"
	case n == 7 && !d.allow:
		d.wide = !d.wide
		what = "definition: a field changes its type"
	case n == 8 && (g.crd == nil || g.crd.wide == d.wide):
		d.allow = !d.allow
		what = "definition: breaking changes are allowed or no more"
	case n == 9 && !g.hasLamp:
		o.install(t, g)
		return "definition: the missing kind is installed"
	default:
		d.tag++
		what = "definition: a template changes"
	}
	o.write(t, g)
	return what
}

// mend makes a definition acceptable again.
func (o *oracle) mend(t *testing.T, g *game) string {
	t.Helper()
	d := &g.draft
	d.broken = ""
	if d.lamp && !g.hasLamp {
		if o.random.IntN(2) == 0 {
			o.install(t, g)
		} else {
			d.lamp = false
		}
	}
	if g.crd != nil && !d.fits(*g.crd) && !d.allow {
		d.wide = g.crd.wide
		for _, n := range g.crd.extras {
			if !slices.Contains(d.extras, n) {
				d.extras = append(slices.Clone(d.extras), n)
			}
		}
		slices.Sort(d.extras)
	}
	o.write(t, g)
	return "definition: mended"
}

// install makes the API server serve the kind Lamp of a game.
func (o *oracle) install(t *testing.T, g *game) {
	t.Helper()
	kind := g.lampKind()
	plural := strings.ToLower(kind) + "s"
	o.create(t, decode(t, fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[2]s.example.com}
spec:
  group: example.com
  names: {kind: %[1]s, plural: %[2]s, singular: %[3]s, listKind: %[1]sList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {on: {type: boolean}}}}}}
`, kind, plural, strings.ToLower(kind))))
	g.hasLamp = true
}

// together changes an instance and its definition at once.
func (o *oracle) together(t *testing.T, g *game) string {
	t.Helper()
	name := []string{"a", "b"}[o.random.IntN(2)]
	if p := g.players[name]; p.exists {
		o.respec(t, g, name, func(c *content) { c.notes, c.replicas = !c.notes, 1+c.replicas%3 })
	}
	g.draft.tag++
	g.draft.side = !g.draft.side
	if o.random.IntN(2) == 0 {
		for n := 0; ; n++ {
			if !slices.Contains(g.draft.extras, n) {
				g.draft.extras = append(slices.Clone(g.draft.extras), n)
				break
			}
		}
	}
	o.write(t, g)
	return "instance and definition change together"
}

// respec changes the spec of an instance.
func (o *oracle) respec(t *testing.T, g *game, name string, change func(*content)) {
	t.Helper()
	p := g.players[name]
	change(&p.spec)
	o.side.edit(t, g.at(t, name), func(u *unstructured.Unstructured) {
		spec, _ := u.Object["spec"].(map[string]any)
		if spec == nil {
			spec = map[string]any{}
		}
		maps.Copy(spec, g.spec(p))
		u.Object["spec"] = spec
	})
}

// spec is the spec of an instance, by the schema that the API server has.
func (g *game) spec(p *player) map[string]any {
	out := map[string]any{"outcome": p.spec.outcome, "notes": p.spec.notes, "replicas": p.spec.replicas, "deadline": int64(86400)}
	if p.spec.outcome == failed {
		out["deadline"] = int64(2)
	}
	if g.crd.wide {
		out["replicas"] = fmt.Sprint(p.spec.replicas)
	}
	return out
}

// play makes a step with an instance.
func (o *oracle) play(t *testing.T, g *game, name string) string {
	t.Helper()
	p := g.players[name]
	outcome := func() string {
		next := []string{ready, ready, hangs, failed}[o.random.IntN(4)]
		// A Deployment that has timed out says so until there is progress, which pods that hang are not.
		if next == hangs && (p.spec.outcome == failed || p.applied.outcome == failed) {
			return ready
		}
		return next
	}
	if !p.exists {
		*p = player{exists: true, fresh: true, spec: content{outcome: outcome(), replicas: 1}}
		u := g.at(t, name)
		u.Object["spec"] = g.spec(p)
		o.create(t, u)
		return "instance: create " + name + " " + p.spec.outcome
	}
	web, svc := object("apps/v1", "Deployment", "default", g.object(name)), object("v1", "Service", "default", g.object(name))
	switch o.random.IntN(10) {
	case 0:
		*p = player{}
		o.remove(t, g.at(t, name))
		o.gone(t, g.at(t, name))
		return "instance: delete " + name
	case 1, 2:
		o.respec(t, g, name, func(c *content) { c.outcome = outcome() })
		return "instance: outcome of " + name + " " + p.spec.outcome
	case 3:
		o.respec(t, g, name, func(c *content) { c.replicas = 1 + c.replicas%3 })
		return "instance: replicas of " + name
	case 4:
		o.respec(t, g, name, func(c *content) { c.notes = !c.notes })
		return "instance: notes of " + name
	case 5:
		p.web = false
		o.remove(t, web)
		return "resource: delete the Deployment of " + name
	case 6:
		p.svc, p.edited = false, false
		o.remove(t, svc)
		return "resource: delete the Service of " + name
	case 7, 8:
		p.suspended = !p.suspended
		value := map[bool]string{true: "suspended", false: "enabled"}[p.suspended]
		o.side.edit(t, g.at(t, name), func(u *unstructured.Unstructured) {
			u.SetAnnotations(with(u.GetAnnotations(), "kro.run/reconcile", value))
		})
		return "instance: " + name + " is " + value
	}
	// An object that is changed back too often is contested, which is another test.
	edits := slices.DeleteFunc(g.edits[name], func(at time.Time) bool { return time.Since(at) > 12*time.Minute }) // its budget is 15 min
	if g.edits[name] = edits; p.fresh || !p.svc || !p.web || len(edits) > 2 {
		return "nothing: no resource is edited"
	}
	g.edits[name] = append(edits, time.Now())
	// What is edited while the instance is suspended or has no definition stays so; of the Service the model knows that. A Deployment that
	// hangs would begin anew.
	which := o.random.IntN(3)
	if p.suspended || g.gone || g.served == nil || which == 1 && p.applied.outcome != ready {
		which = 0
	}
	one := []struct {
		object *unstructured.Unstructured
		value  any
		path   []string
	}{
		{svc, "wrong", []string{"spec", "selector", "app"}},
		{web, int64(7), []string{"spec", "replicas"}},
		{object("v1", "ConfigMap", "default", g.object(name)+"-settings"), "wrong", []string{"data", "tag"}},
	}[which]
	p.edited = p.edited || which == 0
	manager := []string{"somebody", applyset.FieldManager}[o.random.IntN(2)] // a name is a claim of whoever writes it
	o.editAs(t, manager, one.object, func(u *unstructured.Unstructured) {
		if err := unstructured.SetNestedField(u.Object, one.value, one.path...); err != nil {
			t.Fatal(err)
		}
	})
	return "resource: edit the " + one.object.GetKind() + " of " + name + " as " + manager
}

// refuses has the API server refuse one write of the operator for a definition or its instances with the next step: of a resource, a
// status, a kind. While the server is in trouble nothing is False, because no person has to act; where a policy refuses, one has.
// Everything is as if there had been no refusal once the operator has tried again.
func (o *oracle) refuses(g *game) {
	code := []int{http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusConflict,
		http.StatusNotFound}[o.random.IntN(4)] // the last one is of a status, as if the object were gone
	if o.random.IntN(8) == 0 { // it is tried again after half a minute
		code, g.excused = http.StatusForbidden, true
	}
	skip := o.random.IntN(3) // not always the first one
	mine := []string{fmt.Sprintf("/g%d-", g.index), "/" + g.plural() + "/", "/" + g.name(), "/" + g.plural() + ".kro.run"}
	o.next.Write(code, func(_, path string) bool {
		if !slices.ContainsFunc(mine, func(part string) bool { return strings.Contains(path, part) }) ||
			code == http.StatusNotFound && !strings.HasSuffix(path, "/status") {
			return false
		}
		skip--
		return skip < 0
	})
}

// refused has the API server refuse a write: an object of an instance is deleted by hand, and the operator may not make it again.
// InstanceSynced and the condition of the resource say so; afterwards the object comes back.
func (o *oracle) refused(t *testing.T, g *game, name string) string {
	t.Helper()
	p := g.players[name]
	if g.gone || g.served == nil || g.crd == nil || !p.exists || p.suspended || p.fresh {
		return ""
	}
	one := []struct {
		id, group, resource string
		object              *unstructured.Unstructured
	}{
		{"web", "apps", "deployments", object("apps/v1", "Deployment", "default", g.object(name))},
		{"svc", "", "services", object("v1", "Service", "default", g.object(name))},
		{"settings", "", "configmaps", object("v1", "ConfigMap", "default", g.object(name)+"-settings")},
	}[o.random.IntN(3)]
	g.excused = true
	allow, err := deny.Writes(t.Context(), o.API, deny.Rule{User: o.account(), Group: one.group, Resource: one.resource, Namespace: "default",
		Prefix: g.object(name)})
	if err != nil {
		t.Fatal(err)
	}
	o.remove(t, one.object)
	o.eventually(t, func() error {
		o.revive(t)
		u := o.read(t, g.at(t, name))
		for condition, want := range map[string]string{"InstanceSynced": "False SyncFailed", "resources.kro.run/" + one.id: "False Refused"} {
			if c := find(u, condition); c == nil || string(c.Status)+" "+c.Reason != want || !strings.Contains(c.Message, deny.Message) {
				return fmt.Errorf("%s may not be written: %s is %+v, want %s with the refusal", one.id, condition, c, want)
			}
		}
		return nil
	})
	if err := allow(); err != nil {
		t.Fatal(err)
	}
	o.Wake(t)                      // or it would be tried again in half a minute
	o.eventually(t, func() error { // before its definition is deleted, perhaps
		o.revive(t)
		if o.read(t, one.object) == nil {
			return fmt.Errorf("%s does not come back after a refused write", one.id)
		}
		return nil
	})
	return "refused: " + one.id + " of " + name
}
