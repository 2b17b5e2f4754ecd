// SPDX-License-Identifier: Apache-2.0

package codecheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/source"
)

// known returns the texts of the known values.
func known(values []source.Value) []string {
	var out []string
	for _, v := range values {
		if v.How == source.Constant && v.Text != "" {
			out = append(out, v.Text)
		}
	}
	return out
}

func undeclaredType(p *check.Pass, s *source.Site) {
	kinds := kindsOf(p, s.Kinds)
	for _, t := range known(s.Types) {
		if !slices.ContainsFunc(kinds, func(k *catalog.Kind) bool { return k.Type(t) != nil || slices.Contains(k.Declaration.Retired, t) }) {
			p.Report(s.Position, s.In+" "+t, "no catalog declares condition type %s%s", t, of(kinds))
		}
	}
}

// of returns the name of the kind, where there is one.
func of(kinds []*catalog.Kind) string {
	if len(kinds) == 1 {
		return " of " + kinds[0].For.String()
	}
	return ""
}

// typesOf returns the declared types that a site can be about: those that it names, or else every one.
func typesOf(kinds []*catalog.Kind, s *source.Site) []*conditions.Type {
	named := known(s.Types)
	var out []*conditions.Type
	for _, k := range kinds {
		for i := range k.Declaration.Types {
			t := &k.Declaration.Types[i]
			if len(named) == 0 || slices.ContainsFunc(named, func(n string) bool { return k.Canonical(n) == t.Name }) {
				out = append(out, t)
			}
		}
	}
	return out
}

// cell returns the declared cells of a reason.
func cell(types []*conditions.Type, reason string) (out []conditions.Reason, imported bool) {
	for _, t := range types {
		imported = imported || t.Imported
		out = append(out, evidence.Cells(t, reason)...)
	}
	return out, imported
}

// where returns the types of a site for a message.
func where(s *source.Site) string {
	if named := known(s.Types); len(named) > 0 && len(named) <= 3 {
		return " for " + strings.Join(named, ", ")
	}
	return ""
}

func undeclaredReason(p *check.Pass, s *source.Site) {
	types := typesOf(kindsOf(p, s.Kinds), s)
	if len(types) == 0 {
		return // code/undeclared-type
	}
	for _, reason := range known(s.Reason) {
		if found, imported := cell(types, reason); len(found) == 0 && !imported {
			p.Report(s.Position, s.In+" "+reason, "no catalog declares reason %s%s", reason, where(s))
		}
	}
}

func mismatch(p *check.Pass, s *source.Site) {
	statuses, named := known(s.Statuses), known(s.Types)
	if len(statuses) != 1 || len(named) != 1 {
		return // which go together is not known
	}
	types := typesOf(kindsOf(p, s.Kinds), s)
	for _, reason := range known(s.Reason) {
		found, imported := cell(types, reason)
		if len(found) > 0 && !imported && !slices.ContainsFunc(found, func(r conditions.Reason) bool { return string(r.Status) == statuses[0] }) {
			p.Report(s.Position, s.In+" "+reason, "%s=%s is set with reason %s, which is declared for %s", named[0], statuses[0], reason,
				found[0].Status)
		}
	}
}

func unresolved(p *check.Pass, s *source.Site) {
	for _, v := range s.Reason {
		if v.How == source.Unknown || v.How == source.Computed {
			p.Report(s.Position, s.In+" "+v.Expr, "the reason is %s, which could not be resolved (%s)", v.Expr, v.How)
			return
		}
	}
}

func forwarded(p *check.Pass, s *source.Site) {
	types := typesOf(kindsOf(p, s.Kinds), s)
	if slices.ContainsFunc(types, func(t *conditions.Type) bool { return t.Imported }) {
		return
	}
	for _, v := range s.Reason {
		if v.How == source.Forwarded {
			p.Report(s.Position, s.In+" "+v.Expr, "the reason of another condition (%s) is forwarded%s, and no such type imports reasons", v.Expr,
				where(s))
			return
		}
	}
}

func unsanitised(p *check.Pass, s *source.Site) {
	for _, v := range s.Reason {
		if v.How == source.Foreign && !v.Sanitised {
			p.Report(s.Position, s.In+" "+v.Expr, "%s comes from outside of the module and becomes a reason", v.Expr)
			return
		}
	}
}

func deprecated(p *check.Pass, s *source.Site) {
	kinds := kindsOf(p, s.Kinds)
	for _, t := range known(s.Types) {
		for _, k := range kinds {
			if slices.Contains(k.Declaration.Retired, t) && k.Type(t) == nil {
				p.Report(s.Position, s.In+" "+t, "condition type %s is retired", t)
				break
			}
			if name := k.Canonical(t); name != t && k.Type(name) != nil {
				p.Report(s.Position, s.In+" "+t, "%s is a former name of %s", t, name)
				break
			}
		}
	}
	if len(known(s.Types)) == 0 {
		return // the reason may be the own one of a type that no catalog declares
	}
	types := typesOf(kinds, s)
	for _, reason := range known(s.Reason) {
		found, _ := cell(types, reason)
		if len(found) > 0 && !slices.ContainsFunc(found, func(r conditions.Reason) bool { return r.Name == reason }) {
			p.Report(s.Position, s.In+" "+reason, "%s is a former name of %s", reason, found[0].Name)
		}
	}
}

// drift reports constants called after a declared reason that have another value, which is not declared.
func drift(p *check.Pass) {
	declared := map[string]bool{}
	for _, k := range p.Catalogs.Kinds {
		for i := range k.Declaration.Types {
			declared[k.Declaration.Types[i].Name] = true
			for _, r := range k.Declaration.Types[i].Reasons {
				declared[r.Name] = true
				for _, alias := range r.Aliases {
					declared[alias] = true
				}
			}
		}
	}
	for _, scan := range p.Source {
		for _, c := range scan.Consts {
			p.Subject()
			name := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(c.Name, "Condition"), "Reason"), "Reason")
			if name != c.Value && declared[name] && !declared[c.Value] {
				p.Report(c.Position, c.Name, "constant %s has the value %q, and the catalog declares %s", c.Name, c.Value, name)
			}
		}
	}
}

// dead reports declared cells that no site writes. It leaves out reasons that Tristate writes (of derived types,
// initial ones, and those that follow a deadline) and reasons that another manager writes. It also leaves out those
// that an unresolved site may give.
func dead(p *check.Pass) {
	given := map[string]bool{}
	var open []*source.Site
	for _, scan := range p.Source {
		for _, s := range scan.Sites {
			if !s.Resolved() {
				open = append(open, s)
			}
			for _, v := range s.Reason {
				given[v.Text] = true
			}
		}
	}
	for _, k := range p.Catalogs.Kinds {
		for i := range k.Source.Spec.Conditions {
			d := &k.Source.Spec.Conditions[i]
			t := k.Type(d.Type)
			if d.Derive != nil || t == nil || t.Imported || t.Foreign ||
				slices.ContainsFunc(open, func(s *source.Site) bool { return mayWrite(p, s, k, d.Type) }) {
				continue
			}
			for j := range d.Reasons {
				r := &d.Reasons[j]
				p.Subject()
				elsewhere := slices.ContainsFunc(d.Writers, func(w catalog.Writer) bool {
					return w.Manager != "" &&
						slices.Contains(w.Reasons, r.Reason)
				})
				passes := r.Initial || slices.ContainsFunc(d.Reasons, func(o catalog.Reason) bool {
					return o.Deadline != nil && o.Deadline.Then == r.Reason
				})
				if r.Reason == "" || given[r.Reason] || passes || elsewhere ||
					slices.ContainsFunc(r.Aliases, func(a string) bool { return given[a] }) {
					continue
				}
				path := fmt.Sprintf("spec.conditions[%d].reasons[%d].reason", i, j)
				p.Report(k.Source.At(path), k.For.String()+"/"+d.Type+"="+r.Status+"/"+r.Reason, "no code sets reason %s of %s", r.Reason,
					d.Type).At(path)
			}
		}
	}
}

// mayWrite reports whether a site can be about a type of a kind.
func mayWrite(p *check.Pass, s *source.Site, k *catalog.Kind, name string) bool {
	if !slices.Contains(kindsOf(p, s.Kinds), k) {
		return false
	}
	named := known(s.Types)
	return len(named) < len(s.Types) || len(named) == 0 || slices.ContainsFunc(named, func(n string) bool { return k.Canonical(n) == name })
}

// partial reports patches with a list of conditions that is written out, where no definition of the kind keys the list by type.
func partial(p *check.Pass) {
	keyed := map[string]bool{}
	for _, d := range p.CRDs {
		for _, v := range d.Spec.Versions {
			if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
				continue
			}
			list := v.Schema.OpenAPIV3Schema.Properties["status"].Properties["conditions"]
			if list.XListType != nil && *list.XListType == "map" {
				keyed[d.Spec.Names.Kind] = true
			}
		}
	}
	for _, scan := range p.Source {
		for _, f := range scan.Facts {
			if f.What == source.FactPartialList && !slices.ContainsFunc(f.Kinds, func(k string) bool { return keyed[k] }) {
				p.Report(f.Position, f.In, "a patch carries a list of conditions that is written out, and no definition keys it by type")
			}
		}
	}
}
