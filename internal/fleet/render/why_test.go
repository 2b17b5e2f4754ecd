// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func node(kind, name string, is verdict.Status, reason string, children ...*relation.Node) *relation.Node {
	id := relation.ID{GroupKind: schema.GroupKind{Kind: kind}, Namespace: "shop", Name: name}
	return &relation.Node{ID: id, Object: &relation.Object{ID: id}, Edge: "owner", Children: children,
		Judgement: relation.Judgement{Verdict: is, Reason: reason}}
}

// TestAdvice: what to do comes from the catalog, or from the known reasons of a kind.
func TestAdvice(t *testing.T) {
	remedied := node("Pod", "web", "Failed", "CrashLoopBackOff")
	remedied.Judgement.Remedy = "ask the catalog"
	cluster := node("Deployment", "web", "Suspended", "Paused")
	cluster.Group, cluster.Namespace = "apps", ""
	tests := map[string]struct {
		node *relation.Node
		want string
	}{
		"a catalog comes first": {
			node: remedied,
			want: "ask the catalog",
		},
		"names are filled in": {
			node: node("Pod", "web", "Failed", "OOMKilled"),
			want: "read the log of the container: kubectl logs -n shop web --all-containers --previous",
		},
		"an object without a namespace": {
			node: cluster,
			want: "kubectl rollout resume deployment/web",
		},
		"a reason of every kind": {
			node: node("Thing", "web", "NotFound", "NotFound"),
			want: "create it, or correct the reference",
		},
		"a reason of another kind": {node: node("Thing", "web", "Failed", "OOMKilled")},
		"part of a reason":         {node: node("Pod", "web", "Failed", "Un")},
		"no reason":                {node: node("Pod", "web", "Failed", "")},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, Advice(test.node)); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
	for _, d := range withRemedies() {
		for reason := range d.Source().Spec.Remedies {
			gk := d.Source().Spec.For.All()[0]
			n := node(gk.Kind, "x", "Failed", reason)
			n.GroupKind = gk
			if got := Advice(n); got == "" || strings.Contains(got, "NAME") {
				t.Errorf("%s %s: %q", gk, reason, got)
			}
		}
	}
	if n := len(withRemedies()); n < 10 {
		t.Errorf("only %d kinds of Kubernetes have remedies", n)
	}
}

// TestWhy: the explanation of an object, by where its cause is.
func TestWhy(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	pods := make([]*relation.Node, 6)
	for i := range pods {
		pods[i] = node("Pod", fmt.Sprintf("web-%d", i), "Failed", "Evicted")
		pods[i].Judgement.Since = now.Add(-time.Duration(10-i) * time.Minute)
		pods[i].Judgement.Message = "low on memory\n\x1b[31mred"
		pods[i].Judgement.Evidence = []relation.Evidence{{Path: ".status.reason", Value: "Evicted"}}
	}
	var many []*relation.Node
	for i := range 7 {
		many = append(many, node("Pod", fmt.Sprintf("p%d", i), "Failed", fmt.Sprintf("Reason%d", i)))
	}
	tests := map[string]struct {
		root *relation.Node
		want string
	}{
		"causes of one kind and reason": {
			root: node("Job", "web", "Failed", "Late", pods...),
			want: `Job/web is Failed because of Pod/web-0 and 5 more like it.

✗ Pod/web-0  Evicted   (10m)
        low on memory
        [31mred
path    Job/web → this Pod (owner)
like it web-1, web-2, web-3 and 2 more   (5m–9m)
field   .status.reason = "Evicted"
event   Evicted: bye (2 times)   (60s)
try     delete the pod, so that its owner makes a new one elsewhere
`,
		},
		"the cause is the object itself": {
			root: node("Job", "web", "Failed", "Late"),
			want: `Job/web is Failed. The cause is in the object itself.

✗ Job/web  Late
`,
		},
		"healthy": {
			root: node("Job", "web", "Current", ""),
			want: "Job/web is Current.\n",
		},
		"contradicted by its children": {
			root: node("Job", "web", "Current", "",
				node("Pod", "a", "Failed", "X"),
				node("Pod", "b", "Failed", "Y")),
			want: `Job/web looks healthy, but Pod/a is Failed: X, and 1 more object below it is unhealthy.

✗ Pod/a  X
path    Job/web → this Pod (owner)

✗ Pod/b  Y
path    Job/web → this Pod (owner)
`,
		},
		"the cause is three levels below": {
			root: node("A", "a", "Failed", "",
				node("B", "b", "Failed", "",
					node("C", "c", "Failed", "",
						node("D", "d", "Failed", "Deep")))),
			want: `A/a is Failed because of D/d, by way of B/b (owner) and C/c (owner).

✗ D/d  Deep
path    A/a → B/b → C/c → this D (owner)
`,
		},
	}
	write := func(root *relation.Node, o Options) string {
		o.Now = now
		root.Edge = ""
		var b bytes.Buffer
		err := Why(&b, Explanation{Root: root, Causes: relation.Causes(root), Doubts: relation.Contradictions(root),
			Event: func(id relation.ID, fits func(*Event) bool) *Event {
				e := &Event{Type: "Warning", Reason: "Evicted", Message: "bye", Count: 2, Last: now.Add(-time.Minute)}
				if id.Name != "web-0" || !fits(e) {
					return nil
				}
				return e
			}}, o)
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, write(test.root, Options{})); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
	root := node("Job", "web", "Failed", "Late", many...)
	if got := write(root, Options{}); !strings.Contains(got, "and 2 more causes") || strings.Contains(got, "Reason6") {
		t.Errorf("seven causes:\n%s", got)
	}
	if got := write(root, Options{All: true}); !strings.Contains(got, "Reason6") {
		t.Errorf("seven causes, all:\n%s", got)
	}
}
