// SPDX-License-Identifier: Apache-2.0

package relation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// counting returns a catalog by which the children of Apps and of their nested Apps count, and a function that judges by fieldVerdict.
func counting(t *testing.T, children string) (*catalog.Set, func(*relation.Object) relation.Judgement) {
	t.Helper()
	set, err := catalog.Load(map[string][]byte{"apps.yaml": []byte(`
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: apps.example.org}
spec:
  for: {group: example.org, kind: App}
  relations:
    workers: {kind: Worker.example.org, where: item.spec.app == self.metadata.name}
    blueprint: {kind: Blueprint.example.org, ref: self.spec.blueprint, role: reads}
  children: ` + children + "\n")})
	if err != nil {
		t.Fatal(err)
	}
	return set, func(o *relation.Object) relation.Judgement {
		j := fieldVerdict(o)
		if at, ok := o.Content["look"].(float64); ok {
			j.NextLook = time.Unix(int64(at), 0)
		}
		if o.Kind == "App" {
			j.Counting = set.Kinds()[0].Counting
			if j.Verdict == verdict.Current {
				j.Contradictions = []string{relation.ChildrenNotRead}
			}
		}
		return j
	}
}

func TestChildren(t *testing.T) {
	const app = "{apiVersion: example.org/v1, kind: App, metadata: {name: shop}, spec: {blueprint: b}}"
	child := func(kind, name, verdict, more string) string {
		return "\n{apiVersion: example.org/v1, kind: " + kind + ", metadata: {name: " + name + ", " + by("example.org/v1", "App", "shop") +
			"}, verdict: " + verdict + more + "}"
	}
	tests := map[string]struct {
		children string // as the catalog declares it; empty: all
		objects  string
		want     string // verdict, reason, message, then doubts
	}{
		"all are well": {objects: app + child("A", "a", "Current", "") + child("A", "b", "Suspended", ""), want: "Current"},
		"one in progress": {objects: app + child("A", "a", "Current", "") + child("A", "b", "InProgress", ", message: one of two"),
			want: "InProgress ChildInProgress A/b is InProgress: one of two\nits own conditions alone make it Current"},
		"one that goes": {objects: app + child("A", "a", "Terminating", ", reason: Deleting"),
			want: "InProgress ChildInProgress A/a is Terminating: Deleting\nits own conditions alone make it Current"},
		"one has failed": {objects: app + child("A", "a", "InProgress", "") + child("B", "b", "Failed", "") + child("B", "c", "Failed", ""),
			want: "Failed ChildFailed B/b is Failed, and 1 more\nits own conditions alone make it Current"},
		"one is impaired": {objects: app + child("A", "a", "Degraded", ""),
			want: "Degraded ChildDegraded A/a is Degraded\nits own conditions alone make it Current"},
		"not ready first": {objects: app + child("A", "a", "Degraded", "") + child("A", "b", "InProgress", ""),
			want: "InProgress ChildInProgress A/b is InProgress\nits own conditions alone make it Current"},
		"nothing is known": {objects: app + child("A", "a", "Unknown", ""), want: "Current\nnothing is known of A/a, which counts"},
		"no child is here": {objects: app, want: "Current\nchildren of kind Worker.example.org count, and they were not read"},
		"in progress itself, and a child has failed": {objects: strings.Replace(app, "metadata", "verdict: InProgress, reason: Waiting, metadata",
			1) + child("A", "a", "Failed", ""),
			want: "Failed ChildFailed A/a is Failed"},
		"in progress with a new generation": {objects: strings.Replace(app, "metadata",
			"verdict: InProgress, reason: GenerationNotObserved, metadata", 1) + child("A", "a", "Failed", ""),
			want: "InProgress GenerationNotObserved"},
		"in progress itself, and a child too": {objects: strings.Replace(app, "metadata", "verdict: InProgress, reason: Waiting, metadata", 1) +
			child("A", "a", "InProgress", ""),
			want: "InProgress Waiting"},
		"failed itself": {objects: strings.Replace(app, "metadata", "verdict: Failed, reason: Broken, metadata", 1) +
			child("A", "a", "InProgress", ""), want: "Failed Broken"},
		"by a relation": {objects: app +
			"\n{apiVersion: example.org/v1, kind: Worker, metadata: {name: w}, verdict: InProgress, spec: {app: shop}}",
			want: "InProgress ChildInProgress Worker/w is InProgress\nits own conditions alone make it Current"},
		"what is only read does not count": {objects: app + child("A", "a", "Current", "") +
			"\n{apiVersion: example.org/v1, kind: Worker, metadata: {name: w}, spec: {app: shop}}\n{apiVersion: example.org/v1, kind: Blueprint, metadata: {name: b}, verdict: Failed}",
			want: "Current"},
		"only some children": {children: "{where: item.kind != 'A'}", objects: app + child("A", "a", "Failed", "") +
			child("B", "b", "Current", "") +
			"\n{apiVersion: example.org/v1, kind: Worker, metadata: {name: w}, spec: {app: shop}}", want: "Current"},
		"a related object decides": {children: "{where: '!(item.kind in related.blueprint.spec.optional)'}", objects: app +
			child("A", "a", "Failed", "") + child("B", "b", "InProgress", "") +
			"\n{apiVersion: example.org/v1, kind: Blueprint, metadata: {name: b}, spec: {optional: [A]}}",
			want: "InProgress ChildInProgress B/b is InProgress\nits own conditions alone make it Current"},
		"what should decide is not here": {children: "{where: '!(item.kind in related.blueprint.spec.optional)'}", objects: app +
			child("A", "a", "Failed", ""),
			want: "Failed ChildFailed A/a is Failed\nits own conditions alone make it Current"},
		"an object that is referred to": {children: "{refs: related.blueprint.spec.uses}", objects: app + child("A", "a", "Current", "") +
			"\n{apiVersion: example.org/v1, kind: Blueprint, metadata: {name: b}, spec: {uses: [{apiVersion: example.org/v1, kind: Tool, name: t}, {apiVersion: example.org/v1, kind: A, name: a}]}}" +
			"\n{apiVersion: example.org/v1, kind: Tool, metadata: {name: t}, verdict: InProgress}",
			want: "InProgress ChildInProgress Tool/t is InProgress\nits own conditions alone make it Current"},
		"an object that is referred to is missing": {children: "{refs: related.blueprint.spec.uses}", objects: app +
			child("A", "a", "Current", "") +
			"\n{apiVersion: example.org/v1, kind: Blueprint, metadata: {name: b}, spec: {uses: [{apiVersion: example.org/v1, kind: Tool, name: t}]}}" +
			"\n{apiVersion: example.org/v1, kind: Tool, metadata: {name: other}}",
			want: "InProgress ChildInProgress Tool/t is NotFound: is referred to and does not exist\nits own conditions alone make it Current"},
		"an object that is referred to was not read": {children: "{refs: related.blueprint.spec.uses}", objects: app +
			child("A", "a", "Current", "") +
			"\n{apiVersion: example.org/v1, kind: Blueprint, metadata: {name: b}, spec: {uses: [{apiVersion: example.org/v1, kind: Tool, name: t}]}}",
			want: "Current\nchildren of kind Tool.example.org count, and they were not read"},
		"nothing says what is referred to": {children: "{refs: related.blueprint.spec.uses}", objects: app + child("A", "a", "Current", ""),
			want: "Current"},
		"children of children": {objects: app + child("App", "inner", "Current", "") +
			"\n{apiVersion: example.org/v1, kind: A, metadata: {name: a, " + by("example.org/v1", "App", "inner") + "}, verdict: InProgress}",
			want: "InProgress ChildInProgress App/inner is InProgress: A/a is InProgress\nits own conditions alone make it Current"},
		"a circle": {objects: "{apiVersion: example.org/v1, kind: App, metadata: {name: shop, " + by("example.org/v1", "App", "inner") + "}}" +
			child("App", "inner", "Current", "") + child("A", "a", "Failed", ""),
			want: "Failed ChildFailed A/a is Failed\nits own conditions alone make it Current"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.children == "" {
				test.children = "{}"
			}
			set, judge := counting(t, test.children)
			g := relation.New(set)
			root := world(t, g, test.objects)
			v := &relation.View{Graph: g, Judge: judge}
			j := v.Judgement(g.Get(root))
			got := strings.Join(append([]string{strings.TrimSpace(string(j.Verdict) + " " + j.Reason + " " + j.Message)}, j.Contradictions...), "\n")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if j.Ready && j.Verdict == verdict.InProgress {
				t.Error("it is ready, and in progress")
			}
			n := v.Build(root)
			if diff := cmp.Diff(j.Verdict, n.Judgement.Verdict); diff != "" {
				t.Errorf("the tree judges otherwise: -want +got\n%s", diff)
			}
			if causes := relation.Causes(n); strings.HasPrefix(j.Reason, "Child") && (len(causes) == 0 || causes[0].Node == n) {
				t.Error("no child is the cause")
			}
		})
	}
}

// An object whose children count is judged again when time alone changes the verdict of a child.
func TestChildren_nextLook(t *testing.T) {
	set, judge := counting(t, "{}")
	g := relation.New(set)
	root := world(t, g, "{apiVersion: example.org/v1, kind: App, metadata: {name: shop}, look: 90}\n"+
		"{apiVersion: example.org/v1, kind: A, metadata: {name: a, "+by("example.org/v1", "App", "shop")+"}, look: 60}\n"+
		"{apiVersion: example.org/v1, kind: A, metadata: {name: b, "+by("example.org/v1", "App", "shop")+"}, look: 120}")
	if got := (&relation.View{Graph: g, Judge: judge}).Judgement(g.Get(root)).NextLook.Unix(); got != 60 {
		t.Errorf("the next look is at %d, want 60", got)
	}
}

// TestChildren_wanted: for a list without trees only the kinds of the children that count are read, by relation, by inventory or by
// candidates, and those of the objects that decide which count.
func TestChildren_wanted(t *testing.T) {
	app := func(annotations string) string {
		return "{apiVersion: example.org/v1, kind: App, metadata: {name: shop, labels: {applyset.kubernetes.io/id: x}, annotations: {" +
			annotations + "}}, spec: {blueprint: b}}"
	}
	kinds := `applyset.kubernetes.io/contains-group-kinds: "Deployment.apps"`
	gk := catalog.ParseGroupKind
	tests := map[string]struct {
		children, object string
		want             []relation.ID
	}{
		"by an inventory": {"{}", app(kinds), []relation.ID{{GroupKind: gk("Deployment.apps")},
			{GroupKind: gk("Worker.example.org"), Namespace: "a"}}},
		"by an inventory with namespaces": {"{}", app(kinds + `, applyset.kubernetes.io/additional-namespaces: "b,c"`),
			[]relation.ID{{GroupKind: gk("Deployment.apps"), Namespace: "a"},
				{GroupKind: gk("Deployment.apps"), Namespace: "b"}, {GroupKind: gk("Deployment.apps"), Namespace: "c"},
				{GroupKind: gk("Worker.example.org"), Namespace: "a"}}},
		"by an inventory in one namespace": {"{}", app(kinds + `, applyset.kubernetes.io/additional-namespaces: ""`),
			[]relation.ID{{GroupKind: gk("Deployment.apps"), Namespace: "a"},
				{GroupKind: gk("Worker.example.org"), Namespace: "a"}}},
		"with what it refers to": {"{refs: related.blueprint.spec.uses}", app(kinds) +
			"\n{apiVersion: example.org/v1, kind: Blueprint, metadata: {name: b}, spec: {uses: {apiVersion: example.org/v1, kind: Tool, name: t}}}",
			[]relation.ID{{GroupKind: gk("Deployment.apps")}, {GroupKind: gk("Blueprint.example.org"), Namespace: "a"}, {GroupKind: gk("Tool.example.org"), Namespace: "a"},
				{GroupKind: gk("Worker.example.org"), Namespace: "a"}}},
		"with what decides": {"{where: has(related.blueprint.spec)}", app(kinds),
			[]relation.ID{{GroupKind: gk("Deployment.apps")}, {GroupKind: gk("Blueprint.example.org"), Namespace: "a"},
				{GroupKind: gk("Worker.example.org"), Namespace: "a"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			set, judge := counting(t, test.children)
			g := relation.New(set)
			root := world(t, g, test.object)
			v := &relation.View{Graph: g, Judge: judge, Counting: true,
				Candidates: func(schema.GroupKind) []schema.GroupKind { return []schema.GroupKind{gk("Pod")} }}
			if diff := cmp.Diff(test.want, ids(v.Wanted([]relation.ID{root}))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// ids returns the kinds and namespaces of wants.
func ids(wants []relation.Want) []relation.ID {
	var out []relation.ID
	for _, w := range wants {
		out = append(out, w.ID)
	}
	return out
}
