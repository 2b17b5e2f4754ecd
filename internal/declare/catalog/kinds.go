// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// All lists the kinds that a catalog is for. Where it names none, which is an error, it is one without a name.
func (f For) All() []schema.GroupKind {
	var out []schema.GroupKind
	if f.Kind != "" {
		out = append(out, schema.GroupKind{Group: f.Group, Kind: f.Kind})
	}
	for _, kind := range f.Kinds {
		gk := schema.GroupKind{Group: f.Group, Kind: kind}
		if f.Group == "" {
			gk = ParseGroupKind(kind)
		}
		if gk.Kind != "" {
			out = append(out, gk)
		}
	}
	if out == nil {
		out = []schema.GroupKind{{Group: f.Group}}
	}
	return out
}

// Overlaps reports whether two catalogs of one kind are for a common version; one that names no versions is for all.
func (f For) Overlaps(other For) bool { return overlap(f.Versions, other.Versions) }

// overlap reports whether two lists of versions have one in common; an empty list means every version.
func overlap(a, b []string) bool {
	return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(v string) bool { return slices.Contains(b, v) })
}

// kinds checks for which kinds the document is.
func (c *compiler) kinds() {
	one, many := c.source.Spec.For.Kind, c.source.Spec.For.Kinds
	switch {
	case one == "" && len(many) == 0:
		c.fail("spec.for", "add kind", "kind is missing")
	case one != "" && len(many) > 0:
		c.fail("spec.for.kinds", "name "+one+" among them, without kind", "both kind and kinds are given")
	case len(many) > 0 && len(c.kind.Derivations) > 0 && !c.kind.AtRead:
		c.fail("spec.for.kinds", "write a document for each kind", "one document derives conditions of several kinds")
	}
	if c.source.Spec.For.Group == AnyGroup && one != AnyKind {
		c.fail("spec.for.group", "name the group", "the group * goes with the kind *")
	}
	for i, kind := range many {
		switch {
		case kind == AnyKind:
			c.fail(index("spec.for.kinds", i), `write kind: "*"`, "every kind of a group cannot be combined with other kinds")
		case c.source.Spec.For.Group != "" && strings.Contains(kind, "."):
			c.fail(index("spec.for.kinds", i), "write the kind alone, or leave out group", "kind %q names a group besides spec.for.group", kind)
		case slices.Contains(many[:i], kind):
			c.fail(index("spec.for.kinds", i), "drop one of them", "kind %q is named twice", kind)
		}
	}
}

// as is the same declaration for another kind.
func (k *Kind) as(gk schema.GroupKind) *Kind {
	out := *k
	out.For, out.Alike = gk, nil
	declared, derived := *k.Declaration, *k.Derived
	declared.Group, derived.Group = gk.Group, gk.Group
	declared.Kind, derived.Kind = gk.Kind, gk.Kind
	out.Declaration, out.Derived = &declared, &derived
	return &out
}

// all adds the kinds that a document names after the first one. Each counts once.
func all(kinds []*Kind) []*Kind {
	var out []*Kind
	seen := make(map[*Kind]bool, len(kinds))
	for _, k := range kinds {
		for _, one := range append([]*Kind{k}, k.Alike...) {
			if !seen[one] {
				seen[one] = true
				out = append(out, one)
			}
		}
	}
	return out
}

// OfKubernetes reports whether an API group is one of Kubernetes itself: it has no domain, or one that is reserved for Kubernetes.
func OfKubernetes(group string) bool {
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") && !strings.HasSuffix(group, "x-k8s.io")
}
