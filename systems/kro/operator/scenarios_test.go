// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	revisions "github.com/kubernetes-sigs/kro/api/internal.kro.run/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/metadata"
	"github.com/tristate/tristate/proof/world"
	"github.com/tristate/tristate/systems/kro/operator/internal/demo"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// TestScenarios: what the operator writes on a real API server with nodes, from the real trigger.
func TestScenarios(t *testing.T) {
	s := start(t, "tristate", 1, ours)
	t.Parallel() // it is the longest, so it begins first
	t.Run("custom conditions count as declared", func(t *testing.T) { customConditions(t, s) })
	t.Run("tristate knows instances at once", func(t *testing.T) { commands(t, s) })
	t.Run("catalogs are kept", func(t *testing.T) { kept(t, s) })
	t.Run("the definition is deleted before its instances", func(t *testing.T) { orphaned(t, s) })
	t.Run("deletion follows the graph", func(t *testing.T) { deletion(t, s) })
	t.Run("a definition that becomes invalid", func(t *testing.T) { invalidated(t, s) })
	t.Run("an object that exists already", func(t *testing.T) { existing(t, s) })
	t.Run("suspended", func(t *testing.T) { suspended(t, s) })
	t.Run("an edit of a resource is taken back, and nothing is written twice", func(t *testing.T) { drift(t, s) })
	t.Run("a status that others write", func(t *testing.T) { spoilt(t, s) })
	t.Run("two writers of one field", func(t *testing.T) { contested(t, s) })
	t.Run("the same names in two namespaces", func(t *testing.T) { namesakes(t, s) })
	t.Run("kro's own examples", func(t *testing.T) { examples(t, s) })
	t.Run("an instance is suspended for a while", func(t *testing.T) { there(t, s) })
	t.Run("the document's cells", func(t *testing.T) { documentedCells(t, s) })
}

// customConditions: dependent ones bring Ready down by their polarity, the informational one never does.
func customConditions(t *testing.T, s *side) {
	state := decode(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: orders-state, namespace: default}, data: {mode: fast, reachable: "True", overdue: "False"}}`)
	db := instance(t, "Database", "orders", "")
	s.create(t, file(t, "database"))
	s.create(t, db)
	s.expect(t, db, map[string]string{"Ready": "Unknown", "Reachable": "Unknown WaitingForData",
		"resources.kro.run/state": "Unknown NotFound"})
	if _, out := s.tristate(t, "why", "database/orders"); !strings.Contains(out, "ConfigMap/orders-state") {
		t.Errorf("tristate why does not name the object that the graph refers to:\n%s", out)
	}
	if _, out := s.tristate(t, "tree", "database/orders"); !strings.Contains(out, "ConfigMap/orders-state") {
		t.Errorf("tristate tree does not have the object that the graph refers to:\n%s", out)
	}
	s.create(t, state)
	o := s.expect(t, db, map[string]string{"Ready": "True AllReady", "Reachable": "True Probed", "BackupOverdue": "False Aged",
		"CostEstimated": "False NoPrice"})
	if mode, _, _ := unstructured.NestedString(o.Object, "status", "mode"); mode != "fast" {
		t.Errorf("status.mode is %q", mode)
	}
	put := func(key, value string) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) { _ = unstructured.SetNestedField(u.Object, value, "data", key) }
	}
	s.edit(t, state, put("overdue", "True"))
	s.expect(t, db, map[string]string{"Ready": "False Aged", "BackupOverdue": "True Aged"})
	s.edit(t, state, put("overdue", "False"))
	s.edit(t, state, put("reachable", "Unknown"))
	s.expect(t, db, map[string]string{"Ready": "Unknown Probed", "Reachable": "Unknown Probed"})
	s.edit(t, state, put("reachable", "True"))
	s.expect(t, db, map[string]string{"Ready": "True AllReady"})
}

// commands: status, tree, why, wait and docs read instances by the catalog that the operator published.
func commands(t *testing.T, s *side) {
	s.create(t, file(t, "webapp"))
	shop := instance(t, "WebApp", "shop", "outcome: hang")
	s.create(t, shop)
	s.expect(t, shop, map[string]string{"Ready": "Unknown Progressing"})
	s.mentions(t, shop, "Ready", "0 of 1") // before its controller has seen the Deployment, that is not known
	catalogs := filepath.Join(t.TempDir(), "catalogs.yaml")
	var text strings.Builder
	for _, name := range []string{"webapps.kro.run", "databases.kro.run"} {
		o := s.read(t, object("tristate.dev/v1alpha1", "ConditionCatalog", "", name))
		o.Object["metadata"] = map[string]any{"name": name}
		delete(o.Object, "status")
		data, err := yaml.Marshal(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString("---\n" + string(data))
	}
	if err := os.WriteFile(catalogs, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"status": {[]string{"status", "webapps.kro.run/shop"}, 0, []string{"shop", "Progressing", "0 of 1"}},
		"tree":   {[]string{"tree", "webapp/shop"}, 0, []string{"WebApp/shop", "Deployment/shop", "Service/shop", "because"}},
		"why":    {[]string{"why", "webapp/shop"}, 0, []string{"Deployment/shop"}},
		"wait":   {[]string{"wait", "webapp/shop", "--timeout", "0"}, 4, []string{"shop"}},
		"docs": {[]string{"docs", "--catalogs", catalogs}, 0, []string{"resources.kro.run/deployment", "InstanceSynced", "BackupOverdue",
			"The last backup is too old."}},
	} {
		t.Run(name, func(t *testing.T) {
			code, out := s.tristate(t, tt.args...)
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("tristate %s does not print %q:\n%s", strings.Join(tt.args, " "), want, out)
				}
			}
			if code != tt.code {
				t.Errorf("tristate %s ends with %d, want %d:\n%s", strings.Join(tt.args, " "), code, tt.code, out)
			}
		})
	}
	s.edit(t, shop, func(u *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(u.Object, "ready", "spec", "outcome")
	})
	if code, out := s.tristate(t, "wait", "webapp/shop", "--timeout", world.Patience.String()); code != 0 {
		t.Errorf("tristate wait ends with %d:\n%s", code, out)
	}
	s.expect(t, shop, map[string]string{"Ready": "True AllReady"})
}

// deletion: what was applied last goes first; a finalizer on it holds the rest.
func deletion(t *testing.T, s *side) {
	chain := rgd(t, "chain", "Chain", fields, `
- id: first
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}-1"}, data: {a: b}}
- id: second
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}-2"}, data: {a: "${first.metadata.uid}"}}`)
	o := instance(t, "Chain", "chain", "")
	s.create(t, chain)
	s.create(t, o)
	s.expect(t, o, map[string]string{"Ready": "True AllReady"})
	first, second := object("v1", "ConfigMap", "default", "chain-1"), object("v1", "ConfigMap", "default", "chain-2")
	s.edit(t, second, func(u *unstructured.Unstructured) { u.SetFinalizers([]string{"example.com/hold"}) })
	s.remove(t, o)
	s.expect(t, o, map[string]string{"Ready": "Unknown", "InstanceSynced": "Unknown UnderDeletion"})
	s.mentions(t, o, "InstanceSynced", "ConfigMap/chain-2")
	if u := s.read(t, first); u == nil || u.GetDeletionTimestamp() != nil {
		t.Error("the first resource goes before the second is gone")
	}
	s.edit(t, second, func(u *unstructured.Unstructured) { u.SetFinalizers(nil) })
	s.gone(t, o)
	s.gone(t, first)
}

// invalidated: the last accepted generation goes on, also after a restart, and for what is made, edited or spoilt meanwhile; the definition
// has the problem.
func invalidated(t *testing.T, s *side) {
	chain, o := object("kro.run/v1alpha1", "ResourceGraphDefinition", "", "chain"), instance(t, "Chain", "told", "")
	early, late := instance(t, "Chain", "early", ""), instance(t, "Chain", "late", "")
	s.create(t, o)
	s.create(t, early)
	s.expect(t, o, map[string]string{"Ready": "True AllReady"})
	s.expect(t, early, map[string]string{"Ready": "True AllReady"})
	name := func(text string) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) {
			list, _, _ := unstructured.NestedSlice(u.Object, "spec", "resources")
			_ = unstructured.SetNestedField(list[0].(map[string]any), text, "template", "metadata", "name")
			_ = unstructured.SetNestedSlice(u.Object, list, "spec", "resources")
		}
	}
	former := map[string]string{"Ready": "True AllReady", "GraphResolved": "True LastAccepted", "InstanceSynced": "True Synced",
		"resources.kro.run/first": "True ResourceReady"}
	// maintained: an object that is deleted comes back, and one that is edited is corrected.
	maintained := func(of string) {
		t.Helper()
		first, second := object("v1", "ConfigMap", "default", of+"-1"), object("v1", "ConfigMap", "default", of+"-2")
		before := s.read(t, first).GetUID()
		s.remove(t, first)
		s.edit(t, second, func(u *unstructured.Unstructured) { _ = unstructured.SetNestedField(u.Object, "edited", "data", "a") })
		s.eventually(t, func() error {
			one, two := s.read(t, first), s.read(t, second)
			if one == nil || one.GetUID() == before || two == nil {
				return fmt.Errorf("%s-1 is deleted and does not come back", of)
			}
			if data, _, _ := unstructured.NestedString(two.Object, "data", "a"); data != string(one.GetUID()) {
				return fmt.Errorf("%s-2 has %q, want the UID of the other", of, data)
			}
			return nil
		})
	}
	s.edit(t, chain, name("${schema.spec.nothing}"))
	s.expect(t, chain, map[string]string{"Ready": "False GraphInvalid"})
	got := s.expect(t, o, former)
	if c := find(got, "GraphResolved"); !strings.Contains(c.Message, "by generation 1 of the definition; generation 2 is not accepted: ") ||
		!strings.Contains(c.Message, "nothing") {
		t.Errorf("GraphResolved says %q", c.Message)
	}
	maintained("told")
	s.create(t, late)
	s.expect(t, late, former)
	s.remove(t, early)
	s.gone(t, early)
	s.gone(t, object("v1", "ConfigMap", "default", "early-1"))
	returns(t, s, o, late)
	s.end(t)
	s.edit(t, object("v1", "ConfigMap", "default", "told-2"), func(u *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(u.Object, "edited", "data", "a")
	})
	s.begin(t) // the GraphRevision has the last accepted generation
	maintained("told")
	s.expect(t, o, former)
	s.expect(t, chain, map[string]string{"Ready": "False GraphInvalid"})
	if n := len(s.revisions(t, "chain")); n != 1 {
		t.Errorf("there are %d GraphRevisions of a definition with one accepted generation", n)
	}
	s.edit(t, chain, name("${schema.metadata.name}-one"))
	s.expect(t, chain, map[string]string{"Ready": "True AllReady"})
	s.expect(t, o, map[string]string{"Ready": "True AllReady", "GraphResolved": "True Resolved"})
	s.expect(t, late, map[string]string{"Ready": "True AllReady", "GraphResolved": "True Resolved"})
	s.gone(t, object("v1", "ConfigMap", "default", "told-1"))

	// A schema that breaks stored instances is not accepted either: the API server keeps the former one.
	set(chain, "integer | default=1", "schema", "spec", "outcome")(t, s)
	got = s.expect(t, chain, map[string]string{"Ready": "False BreakingChange"})
	s.expect(t, o, former)
	s.mentions(t, o, "GraphResolved", strings.TrimPrefix(find(got, "ResourceGraphKindReady").Message, "Chain: "))
	set(chain, `string | default="ready"`, "schema", "spec", "outcome")(t, s)
	s.expect(t, chain, map[string]string{"Ready": "True AllReady"})
	s.expect(t, o, map[string]string{"Ready": "True AllReady", "GraphResolved": "True Resolved"})
	for i := range 7 { // the oldest revisions go
		s.edit(t, chain, name(fmt.Sprintf("${schema.metadata.name}-%d", i+3)))
		s.expect(t, chain, map[string]string{"Ready": "True AllReady"})
		s.expect(t, o, map[string]string{"Ready": "True AllReady", "GraphResolved": "True Resolved"})
	}
	s.edit(t, chain, name("${schema.metadata.name}-one"))
	s.expect(t, o, map[string]string{"Ready": "True AllReady", "GraphResolved": "True Resolved"})
	s.eventually(t, func() error {
		if got := s.revisions(t, "chain"); len(got) != 5 || !strings.HasSuffix(got[4], "-r00010") {
			return fmt.Errorf("of ten accepted specs there are the GraphRevisions %v, want the last 5", got)
		}
		return nil
	})
	s.gone(t, object("v1", "ConfigMap", "default", "told-9"))
	s.remove(t, late)
	s.gone(t, late)
}

// returns: a CustomResourceDefinition that is deleted while its definition is invalid comes back, as the last accepted generation made it.
func returns(t *testing.T, s *side, instances ...*unstructured.Unstructured) {
	crd := object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "chains.kro.run")
	before := s.read(t, crd)
	s.remove(t, crd)
	s.eventually(t, func() error {
		if now := s.read(t, crd); now == nil || now.GetUID() == before.GetUID() {
			return errors.New("the CustomResourceDefinition is deleted and does not come back")
		}
		return nil
	})
	for _, o := range instances {
		s.eventually(t, func() error { return s.API.Create(t.Context(), o.DeepCopy()) }) // once the kind is served again
		s.expect(t, o, map[string]string{"Ready": "True AllReady", "GraphResolved": "True LastAccepted"})
	}
}

// revisions returns the names of the GraphRevisions of a definition, in their order.
func (s *side) revisions(t *testing.T, definition string) (out []string) {
	t.Helper()
	var list revisions.GraphRevisionList
	if err := s.API.List(t.Context(), &list, client.MatchingLabels{metadata.ResourceGraphDefinitionNameLabel: definition}); err != nil {
		t.Fatal(err)
	}
	for _, r := range list.Items {
		out = append(out, r.Name)
	}
	slices.Sort(out)
	return out
}

// there: an instance that is suspended leaves its definition as it is, and comes back.
func there(t *testing.T, s *side) {
	definition := object("kro.run/v1alpha1", "ResourceGraphDefinition", "", "webapp")
	shop := instance(t, "WebApp", "there", "")
	s.create(t, shop)
	s.expect(t, shop, map[string]string{"Ready": "True AllReady", "InstanceSynced": "True Synced"})
	suspend := func(word string) {
		s.edit(t, shop, func(u *unstructured.Unstructured) {
			u.SetAnnotations(with(u.GetAnnotations(), "kro.run/reconcile", word))
		})
	}
	suspend("suspended")
	s.expect(t, shop, map[string]string{"Ready": "Unknown", "InstanceSynced": "Unknown Suspended"})
	s.mentions(t, definition, "ResourceGraphReady", "default/there")
	s.expect(t, definition, map[string]string{"Ready": "True AllReady", "ResourceGraphReady": "True AllReady"})
	suspend("enabled")
	s.expect(t, shop, map[string]string{"Ready": "True AllReady"})
	s.remove(t, shop)
	s.gone(t, shop)
}

// existing: an object that somebody else made is left alone until its owner agrees, and stays when the instance is deleted.
func existing(t *testing.T, s *side) {
	lab := rgd(t, "lab", "Lab", fields, `
- id: config
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}-c"}, data: {a: ours}}`)
	theirs := object("v1", "ConfigMap", "default", "lab-c")
	theirs.Object["data"] = map[string]any{"b": "theirs"}
	o := instance(t, "Lab", "lab", "")
	s.create(t, theirs)
	s.create(t, lab)
	s.create(t, o)
	s.expect(t, o, map[string]string{"Ready": "False", "resources.kro.run/config": "False Refused"})
	s.mentions(t, o, "resources.kro.run/config", "ConfigMap/lab-c exists and was not made by this instance")
	before := s.read(t, theirs)
	if data, _, _ := unstructured.NestedStringMap(before.Object, "data"); len(data) != 1 {
		t.Errorf("the data of an object of somebody else is %v", data)
	}
	s.edit(t, theirs, func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"tristate.dev/adopt": "true"}) })
	s.expect(t, o, map[string]string{"Ready": "True AllReady"})
	s.edit(t, theirs, func(u *unstructured.Unstructured) {
		u.SetLabels(with(u.GetLabels(), "applyset.kubernetes.io/part-of", "applyset-OTHER-v1"))
	})
	s.expect(t, o, map[string]string{"Ready": "False", "resources.kro.run/config": "False Refused"})
	s.edit(t, theirs, func(u *unstructured.Unstructured) {
		labels := u.GetLabels()
		delete(labels, "applyset.kubernetes.io/part-of")
		u.SetLabels(labels)
	})
	s.expect(t, o, map[string]string{"Ready": "True AllReady"})
	s.end(t)
	s.begin(t) // it does not remember what it took over
	s.remove(t, o)
	s.gone(t, o)
	after := s.read(t, theirs)
	if after == nil || after.GetUID() != before.GetUID() || after.GetDeletionTimestamp() != nil {
		t.Fatal("an object of somebody else is deleted with the instance")
	}
	if _, marked := after.GetLabels()["applyset.kubernetes.io/part-of"]; marked {
		t.Errorf("it keeps the labels %v", after.GetLabels())
	}
}

// suspended: nothing is applied, and Ready says so.
func suspended(t *testing.T, s *side) {
	o := object("kro.run/v1alpha1", "Chain", "default", "told")
	s.edit(t, o, func(u *unstructured.Unstructured) {
		u.SetAnnotations(with(u.GetAnnotations(), "kro.run/reconcile", "suspended"))
	})
	s.expect(t, o, map[string]string{"Ready": "Unknown", "InstanceSynced": "Unknown Suspended"})
	s.edit(t, o, func(u *unstructured.Unstructured) {
		u.SetAnnotations(with(u.GetAnnotations(), "kro.run/reconcile", "enabled"))
	})
	s.expect(t, o, map[string]string{"Ready": "True AllReady"})
}

func with(m map[string]string, key, value string) map[string]string {
	out := map[string]string{key: value}
	for k, v := range m {
		if k != key {
			out[k] = v
		}
	}
	return out
}

// drift: a field that somebody changed is set again. A restart writes nothing.
func drift(t *testing.T, s *side) {
	o, first := object("kro.run/v1alpha1", "Chain", "default", "told"), object("v1", "ConfigMap", "default", "told-one")
	s.edit(t, first, func(u *unstructured.Unstructured) { _ = unstructured.SetNestedField(u.Object, "changed", "data", "a") })
	s.eventually(t, func() error {
		if a, _, _ := unstructured.NestedString(s.read(t, first).Object, "data", "a"); a != "b" {
			return fmt.Errorf("a is %q", a)
		}
		return nil
	})
	before := s.expect(t, o, map[string]string{"Ready": "True AllReady"})
	s.end(t)
	s.counts.writes.Store(0)
	s.begin(t)
	probe := instance(t, "Chain", "probe", "") // by the time that it is ready everything was looked at
	s.create(t, probe)
	s.expect(t, probe, map[string]string{"Ready": "True AllReady"})
	if diff := cmp.Diff(before.GetResourceVersion(), s.read(t, o).GetResourceVersion()); diff != "" {
		t.Errorf("an instance is written after a restart (-before +after):\n%s", diff)
	}
}

// spoilt: a status that others write or remove, of an instance and of its definition, is corrected. Of instances that is done at intervals,
// so each has an instance of its own.
func spoilt(t *testing.T, s *side) {
	chain := object("kro.run/v1alpha1", "ResourceGraphDefinition", "", "chain")
	ready := map[string]string{"Ready": "True AllReady"}
	// spoil changes the conditions of an object that is ready, and returns a wait until there are as many again and it is ready.
	spoil := func(what string, u *unstructured.Unstructured, change func([]any) []any) (corrected func()) {
		before, _, _ := unstructured.NestedSlice(s.expect(t, u, ready).Object, "status", "conditions")
		s.eventually(t, func() error {
			stored := s.read(t, u)
			list, _, _ := unstructured.NestedSlice(stored.Object, "status", "conditions")
			_ = unstructured.SetNestedSlice(stored.Object, change(list), "status", "conditions")
			return s.API.Status().Update(t.Context(), stored, client.FieldOwner("somebody"))
		})
		return func() {
			s.expect(t, u, ready)
			s.eventually(t, func() error {
				after, _, _ := unstructured.NestedSlice(s.read(t, u).Object, "status", "conditions")
				if len(after) != len(before) {
					return fmt.Errorf("%s of %s: %d conditions, want %d", what, u.GetName(), len(after), len(before))
				}
				return nil
			})
		}
	}
	changes := map[string]func(list []any) []any{
		"another status": func(list []any) []any {
			for _, c := range list {
				c.(map[string]any)["status"], c.(map[string]any)["reason"] = "False", "Failed"
			}
			return list
		},
		"a condition less": func(list []any) []any { return list[1:] },
		"no conditions":    func([]any) []any { return nil },
	}
	var instances []*unstructured.Unstructured
	kinds := slices.Sorted(maps.Keys(changes))
	for _, what := range kinds {
		o := instance(t, "Chain", "spoilt-"+strings.ReplaceAll(what, " ", "-"), "")
		s.create(t, o)
		s.expect(t, o, ready)
		instances = append(instances, o)
	}
	for what, change := range changes {
		spoil(what, chain, change)()
	}
	var waits []func()
	for i, what := range kinds {
		waits = append(waits, spoil(what, instances[i], changes[what]))
	}
	for _, corrected := range waits {
		corrected()
	}
	for _, o := range instances {
		s.remove(t, o)
	}
}

// contested: kro's own CoreDNS example sets an annotation that the controller of Deployments sets as well. The fight ends, and is reported.
func contested(t *testing.T, s *side) {
	s.create(t, rgd(t, "fight", "Fight", fields, strings.Replace(deployment("web", "${schema.metadata.name}-fight", ""),
		`metadata: {name: "${schema.metadata.name}-fight"}`,
		`metadata: {name: "${schema.metadata.name}-fight", annotations: {deployment.kubernetes.io/revision: "\"1\""}}`, 1)))
	o := instance(t, "Fight", "duel", "")
	s.create(t, o)
	got := s.expect(t, o, map[string]string{"Ready": "False", "InstanceSynced": "False SyncFailed", "resources.kro.run/web": "False Refused"})
	if c := find(got, "InstanceSynced"); !strings.Contains(c.Message,
		"another writer keeps changing .metadata.annotations.deployment.kubernetes.io/revision of Deployment/duel-fight") {
		t.Errorf("InstanceSynced says %q", c.Message)
	}
	if d := s.read(t, object("apps/v1", "Deployment", "default", "duel-fight")); d.GetGeneration() > 10 {
		t.Errorf("the Deployment is at generation %d", d.GetGeneration())
	}
	s.remove(t, o)
	s.gone(t, o)
}

// namesakes: of two instances of one name in two namespaces, whose graphs render one object, the first one has it. The second one says so,
// touches nothing, and has the object once it is free.
func namesakes(t *testing.T, s *side) {
	s.create(t, object("v1", "Namespace", "", "elsewhere"))
	s.create(t, rgd(t, "shared", "Shared", fields, `
- id: own
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}-own"}, data: {of: "${schema.metadata.namespace}"}}
- id: one
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: shared, namespace: default}, data: {of: "${schema.metadata.namespace}"}}`))
	first, second := instance(t, "Shared", "same", ""), instance(t, "Shared", "same", "")
	second.SetNamespace("elsewhere")
	one := object("v1", "ConfigMap", "default", "shared")
	of := func(want string) {
		t.Helper()
		s.eventually(t, func() error {
			if have, _, _ := unstructured.NestedString(s.read(t, one).Object, "data", "of"); have != want {
				return fmt.Errorf("the object is that of %q, want %q", have, want)
			}
			return nil
		})
	}
	s.create(t, first)
	before := s.expect(t, first, map[string]string{"Ready": "True AllReady"})
	s.create(t, second)
	got := s.expect(t, second, map[string]string{"Ready": "False", "InstanceSynced": "False SyncFailed",
		"resources.kro.run/one": "False Refused"})
	if c := find(got, "resources.kro.run/one"); !strings.Contains(c.Message, "shared") {
		t.Errorf("it does not name the object: %q", c.Message)
	}
	of("default")
	s.remove(t, second)
	s.gone(t, second)
	of("default")
	if after := s.read(t, first); after.GetResourceVersion() != before.GetResourceVersion() {
		t.Errorf("the first instance was written:\n%v", after.Object["status"])
	}
	s.create(t, second)
	s.expect(t, second, map[string]string{"Ready": "False"})
	s.remove(t, first)
	s.gone(t, first)
	s.expect(t, second, map[string]string{"Ready": "True AllReady"})
	of("elsewhere")
	s.remove(t, second)
	s.gone(t, second)
}

// columns tests that kubectl get prints the state and Ready of the instances of a kind: "exposes the state of this condition in custom
// columns".
func (s *side) columns(t *testing.T, kind string) {
	t.Helper()
	crd := decode(t, "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: "+strings.ToLower(kind)+"s.kro.run}}")
	versions, _, _ := unstructured.NestedSlice(s.read(t, crd).Object, "spec", "versions")
	columns, _, _ := unstructured.NestedSlice(versions[0].(map[string]any), "additionalPrinterColumns")
	var names []string
	for _, c := range columns {
		names = append(names, c.(map[string]any)["name"].(string))
	}
	if !slices.Contains(names, "State") || !slices.Contains(names, "Ready") {
		t.Errorf("%s has the columns %v, want State and Ready", kind, names)
	}
}

// examples: the examples that kro ships and that need no cloud are accepted as they are, and their instances become ready.
func examples(t *testing.T, s *side) {
	dir, err := kroCRDs()
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(filepath.Dir(filepath.Dir(dir)), "examples", "kubernetes")
	s.permit(t, "kro-examples", []string{"networking.k8s.io"})
	for _, example := range []string{"additionalPrinterColumns", "cel-functions", "job-example"} {
		t.Run(example, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(dir, example, "*.yaml"))
			if err != nil || len(files) != 2 {
				t.Fatalf("%s has the files %v (%v)", example, files, err)
			}
			var definition, o *unstructured.Unstructured
			for _, path := range files {
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				u := &unstructured.Unstructured{}
				if err := yaml.Unmarshal(data, &u.Object); err != nil {
					t.Fatal(err)
				}
				if u.GetKind() == "ResourceGraphDefinition" {
					definition = u
				} else {
					o = u
				}
			}
			o.SetNamespace("default")
			s.create(t, definition)
			s.expect(t, definition, map[string]string{"Ready": "True AllReady"})
			s.create(t, o)
			s.expect(t, o, map[string]string{"Ready": "True AllReady"})
			if example != "additionalPrinterColumns" { // which has columns of its own
				s.columns(t, o.GetKind())
			}
		})
	}
}

// TestDemo: the demo plays to its end and shows what it is for.
func TestDemo(t *testing.T) {
	t.Parallel()
	out := world.Play(t, demo.Demo, "")
	for _, want := range []string{"WebApp/shop", "0 of 1 replicas", "Deployment/broken", "DefinitionMissing",
		"CustomResourceDefinition/webapps.kro.run"} {
		if !strings.Contains(out, want) {
			t.Errorf("the demo does not show %q:\n%s", want, out)
		}
	}
	t.Log(out)
}
