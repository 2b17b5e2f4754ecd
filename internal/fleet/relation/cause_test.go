// SPDX-License-Identifier: Apache-2.0

package relation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// format formats causes: the names of the equals and the chain.
func format(causes []relation.Cause) string {
	var lines []string
	for _, c := range causes {
		var names, chain []string
		for _, n := range c.Nodes {
			names = append(names, n.Name)
		}
		for _, n := range c.Chain {
			chain = append(chain, n.Name)
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s", c.Node.Kind, strings.Join(names, ","), strings.Join(chain, ">")))
	}
	return strings.Join(lines, "\n")
}

func TestCauses(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	kid := func(verdict, kind, name, parent, more string) string {
		return fmt.Sprintf("\n{apiVersion: example.org/v1, kind: %s, verdict: %s, %s metadata: {name: %s, %s}}", kind, verdict, more, name,
			by("example.org/v1", strings.ToUpper(parent[:1])+"Node", parent))
	}
	const root = `{apiVersion: example.org/v1, kind: RNode, verdict: Failed, metadata: {name: r}}`
	tests := map[string]struct{ objects, want, doubts string }{
		"fine":            {objects: strings.Replace(root, "Failed", "Current", 1)},
		"alone":           {objects: root, want: "RNode r: r"},
		"echo of a child": {objects: root + kid("Failed", "ANode", "a", "r", ""), want: "ANode a: r>a"},
		"deepest": {objects: root + kid("Failed", "ANode", "a", "r", "") + kid("Failed", "Leaf", "x", "a", "") +
			kid("Failed", "BNode", "b", "r", ""), want: "Leaf x: r>a>x\nBNode b: r>b"},
		"worst before deep": {objects: root + kid("Degraded", "ANode", "a", "r", "") + kid("Degraded", "Leaf", "x", "a", "") +
			kid("Failed", "BNode", "b", "r", ""), want: "BNode b: r>b"},
		"of two that are equally bad": {objects: strings.Replace(root, "Failed", "Degraded", 1) + kid("Degraded", "ANode", "a", "r", "") +
			kid("Degraded", "Leaf", "x", "a", "") + kid("Failed", "BNode", "b", "r", ""), want: "BNode b: r>b\nLeaf x: r>a>x"},
		"never better off": {objects: root + kid("InProgress", "Leaf", "x", "r", ""), want: "RNode r: r"},
		"unknown explains nothing": {objects: strings.Replace(root, "Failed", "InProgress", 1) + kid("Unknown", "Leaf", "x", "r", ""),
			want: "RNode r: r"},
		"what reports nothing never outranks what explains": {objects: strings.Replace(root, "Failed", "InProgress", 1) +
			kid("InProgress", "ANode", "a", "r", "") + kid("InProgress", "Leaf", "x", "a", "rule: no-status/none, since: 1,") +
			kid("InProgress", "BNode", "b", "r", "message: waits,"), want: "BNode b: r>b"},
		"what reports nothing, where nothing else explains": {objects: strings.Replace(root, "Failed", "InProgress", 1) +
			kid("InProgress", "Leaf", "x", "r", "rule: no-status/none,"), want: "Leaf x: r>x"},
		"Unknown never outranks what explains": {objects: strings.Replace(root, "Failed", "Unknown", 1) +
			kid("Unknown", "Leaf", "x", "r", "") + kid("InProgress", "BNode", "b", "r", "message: waits,"), want: "BNode b: r>b"},
		"Unknown explains what is Unknown": {objects: strings.Replace(root, "Failed", "Unknown", 1) +
			kid("Unknown", "Leaf", "x", "r", ""), want: "Leaf x: r>x"},
		"a template explains nothing": {objects: root + kid("Failed", "LeafTemplate", "x", "r", ""), want: "RNode r: r"},
		"what is being deleted": {objects: strings.Replace(root, "Failed", "Terminating", 1) + kid("Failed", "BNode", "b", "r", "") +
			kid("Terminating", "ANode", "a", "r", "") + kid("Terminating", "Leaf", "x", "a", "") + kid("InProgress", "Leaf", "y", "a", ""),
			want: "Leaf x: r>a>x"},
		"progress aside": {objects: root + kid("InProgress", "ANode", "a", "r", "") + kid("Unknown", "BNode", "b", "r", ""),
			want: "RNode r: r"},
		"only progress": {objects: strings.Replace(root, "Failed", "InProgress", 1) + kid("InProgress", "ANode", "a", "r", "") +
			kid("Suspended", "BNode", "b", "r", ""), want: "ANode a: r>a"},
		"oldest first": {objects: root + kid("Failed", "Leaf", "new", "r", "since: 5, reason: A,") +
			kid("Failed", "Leaf", "old", "r", "since: 1, reason: B,"), want: "Leaf old: r>old\nLeaf new: r>new"},
		"equals": {objects: root + kid("Failed", "Leaf", "x", "r", "since: 5, reason: A,") +
			kid("Failed", "Leaf", "w", "r", "since: 1, reason: A,") + kid("Failed", "Leaf", "z", "r", "reason: B, since: 9,"),
			want: "Leaf w,x: r>w\nLeaf z: r>z"},
		"own names aside": {objects: root + kid("Failed", "Leaf", "x1", "r", "message: key of x1,") +
			kid("Failed", "Leaf", "x2", "r", "message: key of x2,"), want: "Leaf x1,x2: r>x1"},
		"below what is fine": {objects: root + kid("Current", "ANode", "a", "r", "") + kid("Failed", "Leaf", "x", "a", "") +
			kid("Failed", "BNode", "b", "r", ""), want: "BNode b: r>b"},
		"only below what is fine": {objects: root + kid("Current", "ANode", "a", "r", "") + kid("Failed", "Leaf", "x", "a", ""),
			want: "Leaf x: r>a>x"},
		"a condition of its own": {objects: root + kid("Failed", "ANode", "a", "r", "own: true,") + kid("Failed", "Leaf", "x", "a", ""),
			want: "Leaf x: r>a>x\nANode a: r>a"},
		"doubts": {objects: strings.Replace(root, "Failed", "Current", 1) + kid("Failed", "ANode", "a", "r", "") +
			kid("InProgress", "BNode", "b", "r", ""), doubts: "ANode a: r>a"},
		"one missing object in several places": {objects: root +
			kid("InProgress", "Leaf", "x", "r", "spec: {ref: {apiVersion: example.org/v1, kind: Key, name: k}},") +
			kid("InProgress", "Leaf", "w", "r", "spec: {ref: {apiVersion: example.org/v1, kind: Key, name: k}},") +
			"\n{apiVersion: example.org/v1, kind: Key, metadata: {name: other}}",
			want: "Key k: r>w>k"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g := relation.New(nil)
			v := relation.View{Graph: g, Judge: func(o *relation.Object) relation.Judgement {
				j := fieldVerdict(o)
				if n, ok := o.Content["since"].(float64); ok {
					j.Since = start.Add(time.Duration(n) * time.Minute)
				}
				j.Own, _ = o.Content["own"].(bool)
				j.Rule, _ = o.Content["rule"].(string)
				return j
			}}
			n := v.Build(world(t, g, test.objects))
			if diff := cmp.Diff(test.want, format(relation.Causes(n))); diff != "" {
				t.Errorf("causes: -want +got\n%s", diff)
			}
			if diff := cmp.Diff(test.doubts, format(relation.Contradictions(n))); diff != "" {
				t.Errorf("doubts: -want +got\n%s", diff)
			}
		})
	}
}

func TestNameless(t *testing.T) {
	tests := map[string][3]string{
		"a word":         {"web-1", `pod "web-1" of web-1`, `pod "…" of …`},
		"part of a word": {"web", "web-1 and web2 but web", "web-1 and web2 but …"},
		"no name":        {"", "text", "text"},
	}
	for name, test := range tests {
		n := relation.Node{ID: relation.ID{Name: test[0]}}
		if diff := cmp.Diff(test[2], n.Nameless(test[1])); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}
