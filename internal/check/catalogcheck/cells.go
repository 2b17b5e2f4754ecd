// SPDX-License-Identifier: Apache-2.0

package catalogcheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/declare/catalog"
)

// impliedPositive are types that are positive without a declaration.
var impliedPositive = []string{"Ready", "Available", "Succeeded"}

func polarityDeclared(p *check.Pass, t typeOf) {
	switch t.kind.Dialect {
	case conditions.DialectCAPIv1beta1, conditions.DialectKnative, conditions.DialectCAPIv1beta2:
		return // every type is positive there, or among the negative ones that the dialect knows
	}
	declared := t.kind.Type(t.Type)
	if t.Polarity != "" || slices.Contains(impliedPositive, t.Type) || declared == nil || declared.Polarity != conditions.Positive {
		return // the dialect knows the others
	}
	p.Report(t.at(".type"), t.subject(), "nothing says whether %s=True is good", t.Type).At(t.path(".type"))
}

// emptyCell reports statuses that a type must be able to have, by its presence, without a reason.
func emptyCell(p *check.Pass, t typeOf) {
	declared := t.kind.Type(t.Type)
	if declared == nil || declared.Imported || declared.Foreign || len(t.Statuses) > 0 || t.Derive != nil {
		return // the cells of a derived type are known from its rules
	}
	for _, status := range []conditions.Status{conditions.True, conditions.False} {
		if declared.Presence == conditions.PresenceWhenTrue && status == conditions.False {
			continue
		}
		if !slices.ContainsFunc(declared.Reasons, func(r conditions.Reason) bool { return r.Status == status }) {
			p.Report(t.at(".reasons"), t.subject()+"="+string(status), "%s has no reason for status %s", t.Type, status).At(t.path(".reasons"))
		}
	}
}

// orphan reports reasons that no rule has and no other writer, of a type that is derived by rules only.
func orphan(p *check.Pass, t typeOf) {
	if t.Derive == nil || t.Derive.Merges() {
		return
	}
	for i := range t.Reasons {
		r := &t.Reasons[i]
		if !slices.ContainsFunc(t.Derive.Rules, func(rule catalog.Rule) bool { return rule.Reason == r.Reason }) &&
			!slices.ContainsFunc(t.Writers, func(w catalog.Writer) bool { return slices.Contains(w.Reasons, r.Reason) }) {
			of := reasonOf{t, r, i}
			p.Report(of.at(".reason"), of.subject(), "no rule of %s sets reason %s", t.Type, r.Reason).At(of.path(".reason"))
		}
	}
}

func summaryMembers(p *check.Pass, k *catalog.Kind) {
	for i := range k.Source.Spec.Conditions {
		d := typeOf{k, &k.Source.Spec.Conditions[i], i}
		if d.Derive == nil || d.Derive.Summary == nil {
			continue
		}
		for j, name := range d.Derive.Summary.Of {
			if t := k.Type(name); t != nil && t.Role == conditions.RoleInformational {
				path := fmt.Sprintf(".derive.summary.of[%d]", j)
				p.Report(d.at(path), d.subject()+" "+name, "%s sums up %s, which is informational", d.Type, name).At(d.path(path)).
					Try("give %s the role dependent, or leave it out", name)
			}
		}
	}
}

// precedence compares the order of the unhealthy reasons that two types of a kind share. Two orders disagree somewhere if they disagree
// about two neighbours of what they share.
func precedence(p *check.Pass, k *catalog.Kind) {
	type place struct {
		typeOf
		index int
	}
	sharing := map[string][]place{} // the first place of a reason in each type
	for i := range k.Source.Spec.Conditions {
		t := typeOf{k, &k.Source.Spec.Conditions[i], i}
		last := map[int]place{} // by another type: the last place there of what was seen of this one
		for y := range t.Reasons {
			b := &t.Reasons[y]
			if !k.Unhealthy(t.Type, b.Status) {
				continue
			}
			here := sharing[b.Reason]
			for _, at := range here {
				if at.Type == t.Type {
					continue
				}
				if before, there := last[at.typeOf.index]; there && before.index > at.index {
					a, of := before.Reasons[before.index].Reason, reasonOf{t, b, y}
					p.Report(of.at(".reason"), k.For.String()+" "+a+" "+b.Reason, "%s ranks %s before %s, and %s the other way round",
						t.Type, a, b.Reason, at.Type).At(of.path(".reason")).See(at.at(".reasons"), "%s is declared here", at.Type)
					return
				}
				last[at.typeOf.index] = at
			}
			if len(here) == 0 || here[len(here)-1].typeOf.index != i {
				sharing[b.Reason] = append(here, place{t, y})
			}
		}
	}
}

func profileConflict(p *check.Pass, k *catalog.Kind) {
	for i := range k.Declaration.Types {
		t := &k.Declaration.Types[i]
		d := typeOf{k, &k.Source.Spec.Conditions[i], i}
		conflict := func(field, format string, args ...any) {
			p.Report(d.at(field), d.subject()+field, "dialect %s: %s", k.Dialect, fmt.Sprintf(format, args...)).At(d.path(field))
		}
		switch k.Dialect {
		case conditions.DialectGateway, conditions.DialectKstatus:
			if t.Polarity == conditions.Negative && t.Presence == conditions.PresenceAlways {
				conflict(".presence", "negative type %s is in the list only while it is True", t.Name)
			}
			if k.Dialect == conditions.DialectKstatus && (t.Name == conditions.TypeReconciling || t.Name == conditions.TypeStalled) &&
				t.Polarity != conditions.Negative {
				conflict(".polarity", "%s is abnormal while it is True", t.Name)
			}
		case conditions.DialectKnative:
			if t.Polarity == conditions.Negative {
				conflict(".polarity", "True is good for every type, and %s is negative", t.Name)
			}
		case conditions.DialectOpenShift:
			if t.Name == "Degraded" && t.Polarity != conditions.Negative {
				conflict(".polarity", "Degraded is bad while it is True")
			}
		}
		if k.Dialect == conditions.DialectKnative && t.Role == conditions.RoleSummary && t.Name != "Ready" && t.Name != "Succeeded" {
			conflict(".role", "the summary is called Ready or Succeeded, not %s", t.Name)
		}
	}
}

// currentSingleWord reports catalogs in which one word of one field makes an object Current.
func currentSingleWord(p *check.Pass) {
	kinds(func(p *check.Pass, k *catalog.Kind) {
		spec := &k.Source.Spec
		if len(spec.Conditions)+len(spec.Verdicts) > 0 || len(spec.States) != 1 {
			return
		}
		var found []string
		for word, verdict := range spec.States[0].Words {
			if verdict == "Current" {
				found = append(found, word)
			}
		}
		if len(found) == 0 {
			return
		}
		slices.Sort(found)
		field := spec.States[0].Path
		if field == "" {
			field = "condition " + spec.States[0].Condition
		}
		p.Report(k.Source.At("spec.states[0]"), k.For.String(), "%s is Current by one word alone: %s of %s", k.For.String(),
			strings.Join(found, ", "), field).At("spec.states[0]")
	})(p)
}
