// SPDX-License-Identifier: Apache-2.0

package catalogcheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/declare/catalog"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// directDependents reports relations of Cluster API kinds to objects that neither name self nor are named or owned by it.
func directDependents(p *check.Pass, k *catalog.Kind) {
	if k.Dialect != conditions.DialectCAPIv1beta1 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(k.Source.Spec.Relations)) {
		r := k.Source.Spec.Relations[name]
		indirect := r.Selector != ""
		if r.Ref == "" && r.RefBy == "" && !r.Owned && !indirect {
			indirect = !strings.Contains(r.Where, "self.metadata.")
		}
		if !indirect {
			continue
		}
		path := "spec.relations." + name
		p.Report(k.Source.At(path), k.For.String()+" "+name, "the objects of relation %s neither name %s nor are named or owned by it", name,
			k.For.Kind).At(path)
	}
}

// crowds are the kinds of which each namespace of a cluster has many objects.
var crowds = []schema.GroupKind{{Kind: "Pod"}, {Kind: "Event"}, {Kind: "Secret"}, {Kind: "ConfigMap"}, {Group: "apps", Kind: "ReplicaSet"},
	{Group: "discovery.k8s.io", Kind: "EndpointSlice"}}

// scans reports relations that open each object of a crowd, wherever it is.
func scans(p *check.Pass, k *catalog.Kind) {
	for _, l := range k.Relations {
		if slices.Contains(crowds, l.Target) && l.Scans() {
			path := "spec.relations." + l.Name
			p.Report(k.Source.At(path), k.For.String()+" "+l.Name, "relation %s opens every %s of the cluster for one %s", l.Name, l.Target.Kind,
				k.For.Kind).At(path)
		}
	}
}

// dated reports deprecations without a beginning or an end.
func dated(p *check.Pass, t typeOf) {
	report := func(d *catalog.Deprecation, path, subject, what string) {
		if d != nil && (d.Since == "" || d.EarliestRemoval == "") {
			p.Report(t.kind.Source.At(path), subject, "%s is deprecated without saying since when and until when at least", what).At(path)
		}
	}
	report(t.Deprecated, t.path(".deprecated"), t.subject(), "condition type "+t.Type)
	for i := range t.Reasons {
		r := reasonOf{t, &t.Reasons[i], i}
		report(r.Reason.Deprecated, r.path(".deprecated"), r.subject(), "reason "+r.Reason.Reason)
	}
}

// oscillates reports rules that look their own type up in the stored list. The loader refuses condition() for that.
func oscillates(p *check.Pass, k *catalog.Kind) {
	for i := range k.Source.Spec.Conditions {
		c := &k.Source.Spec.Conditions[i]
		at := slices.IndexFunc(k.Derivations, func(d *catalog.Derivation) bool { return d.Type.Name == c.Type })
		if at < 0 || c.Derive == nil {
			continue
		}
		for j, rule := range k.Derivations[at].Rules {
			if rule.When == nil || !slices.ContainsFunc(rule.When.Stored(), func(word string) bool { return k.Canonical(word) == c.Type }) {
				continue
			}
			path := fmt.Sprintf("spec.conditions[%d].derive.rules[%d].when", i, j)
			p.Report(k.Source.At(path), fmt.Sprintf("%s/%s=%s/%s", k.For.String(), c.Type, rule.Reason.Status, rule.Reason.Name),
				"the rule for %s=%s reads the stored %s: what it writes decides whether it holds next time", c.Type, rule.Reason.Status,
				c.Type).At(path)
		}
	}
}
