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

// sharedOrphan reports reasons that the catalogs of a file share and none of them has.
func sharedOrphan(p *check.Pass) {
	used := map[string]map[string]bool{} // by file
	reasons(func(_ *check.Pass, r reasonOf) {
		file := r.at("").File
		if used[file] == nil {
			used[file] = map[string]bool{}
		}
		used[file][r.Reason.Reason] = true
	})(p)
	for _, k := range p.Catalogs.Kinds {
		for i, s := range k.Source.Spec.Shared {
			path := fmt.Sprintf("spec.shared[%d].reason", i)
			if at := k.Source.At(path); !used[at.File][s.Reason] {
				p.Report(at, "shared "+s.Reason, "no kind has the shared reason %s", s.Reason).At(path)
			}
		}
	}
}

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

// foreignWriter reports conditions that a controller writes on another kind whose catalog does not name it.
func foreignWriter(p *check.Pass, k *catalog.Kind) {
	for i, w := range k.Source.Spec.Writes {
		path := fmt.Sprintf("spec.writes[%d]", i)
		for _, target := range p.Catalogs.Kinds {
			if target.For.String() != w.Kind {
				continue
			}
			for _, reason := range w.Reasons {
				c := target.Condition(w.Type)
				named := c != nil && slices.ContainsFunc(c.Writers, func(o catalog.Writer) bool {
					return o.Kind == k.For.String() && (len(o.Reasons) == 0 || slices.Contains(o.Reasons, reason))
				})
				declared := c != nil && slices.ContainsFunc(c.Reasons, func(r catalog.Reason) bool { return r.Reason == reason })
				if named && declared {
					continue
				}
				p.Report(k.Source.At(path), k.For.String()+" "+w.Kind+"/"+w.Type+"/"+reason,
					"%s writes reason %s on %s of %s, whose catalog does not list it as a writer with that reason", k.For.Kind, reason, w.Type,
					w.Kind).At(path)
			}
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
			if n := len(c.Derive.Rules); j >= n {
				path = fmt.Sprintf("spec.conditions[%d].derive.otherwise[%d].when", i, j-n)
			}
			p.Report(k.Source.At(path), fmt.Sprintf("%s/%s=%s/%s", k.For.String(), c.Type, rule.Reason.Status, rule.Reason.Name),
				"the rule for %s=%s reads the stored %s: what it writes decides whether it holds next time", c.Type, rule.Reason.Status,
				c.Type).At(path)
		}
	}
}
