// SPDX-License-Identifier: Apache-2.0

package story

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Check compares a story with the catalogs without running it: kinds are known, reports are declared leaf cells, expectations name
// declared types. It returns all errors joined, an [Error] each.
func Check(s *Story, set *catalog.Set) error {
	c := checker{story: s, set: set}
	return c.check()
}

// checker resolves the names in a script.
type checker struct {
	story *Story
	set   *catalog.Set
}

func (c checker) check() error {
	var errs []error
	for _, step := range c.story.Steps {
		if err := c.step(step.Command); err != nil {
			errs = append(errs, &Error{c.story.File, step.Line, err.Error(), err})
		}
	}
	return errors.Join(errs...)
}

func (c checker) step(command Command) error {
	switch cmd := command.(type) {
	case Delete:
		_, err := c.id(cmd.Ref)
		return err
	case Gone:
		_, err := c.id(cmd.Ref)
		return err
	case Observe:
		_, err := c.id(cmd.Ref)
		return err
	case Tree:
		_, err := c.id(cmd.Ref)
		return err
	case SetStatus:
		return c.setStatus(cmd)
	case Set:
		_, err := c.id(cmd.Ref)
		return err
	case Report:
		_, _, err := c.report(cmd)
		return err
	case Expect:
		return c.expect(cmd)
	}
	return nil
}

// id resolves a ref to one of the kinds of the story's objects or, where these leave it open, of the catalogs.
func (c checker) id(r Ref) (relation.ID, error) {
	id := r.ID
	id.GroupKind = schema.GroupKind{}
	var found []schema.GroupKind
	var known []string
	see := func(gk schema.GroupKind) {
		if gk.Kind == r.Kind && (!r.Grouped || gk.Group == r.Group) && !slices.Contains(found, gk) {
			found = append(found, gk)
		}
		if !slices.Contains(known, gk.Kind) {
			known = append(known, gk.Kind)
		}
	}
	for _, objects := range c.story.objects {
		for _, o := range objects {
			see(relation.FromContent(o.Content).GroupKind)
		}
	}
	if len(found) == 1 {
		id.GroupKind = found[0]
		return id, nil
	}
	for _, k := range c.set.Kinds() {
		see(k.For)
	}
	slices.SortFunc(found, func(a, b schema.GroupKind) int { return cmp.Compare(a.Group, b.Group) })
	slices.Sort(known)
	switch len(found) {
	case 0:
		return id, fmt.Errorf("unknown kind in %s (kinds of the catalogs and of this story: %s)", r, strings.Join(known, ", "))
	case 1:
		id.GroupKind = found[0]
		return id, nil
	}
	return id, fmt.Errorf("kind %s is ambiguous: write %s.%s or %s.%s", r.Kind, r.Kind, found[0].Group, r.Kind, found[1].Group)
}

// report resolves a report to the condition to write.
func (c checker) report(r Report) (relation.ID, conditions.Condition, error) {
	out := r.Condition
	id, err := c.id(r.Ref)
	if err != nil {
		return id, out, err
	}
	kind := c.set.Kind(id.GroupKind)
	if kind == nil {
		return id, out, fmt.Errorf("no catalog declares the conditions of %s", r.Ref.Kind)
	}
	if kind.At.Many() {
		return id, out, fmt.Errorf("%s has its conditions at %s: write them with: status %s", r.Ref.Kind, kind.At, r.Ref)
	}
	t := kind.Type(r.Type)
	if t == nil {
		return id, out, fmt.Errorf("%s declares no condition %s (leaves: %s)", r.Ref.Kind, r.Type, strings.Join(leaves(kind), ", "))
	}
	if kind.Derives(t.Name) {
		return id, out, fmt.Errorf("%s of %s is derived: a story reports leaves only (leaves: %s)", r.Type, r.Ref.Kind,
			strings.Join(leaves(kind), ", "))
	}
	if r.Remove {
		return id, out, nil
	}
	reason, err := declared(t, r)
	if err != nil {
		return id, out, err
	}
	if r.Reason == "" {
		out.Reason = reason.Name
	}
	if out.Severity != "" && out.Severity != reason.Severity {
		return id, out, fmt.Errorf("%s=%s %s has severity %s, the catalog declares %s", t.Name, r.Status, r.Reason, r.Severity,
			cmp.Or(string(reason.Severity), "none"))
	}
	if kind.Dialect == conditions.DialectCAPIv1beta1 {
		out.Severity = reason.Severity
	} else {
		out.Severity = ""
	}
	return id, out, nil
}

// declared returns the declaration of a reported cell.
func declared(t *conditions.Type, r Report) (conditions.Reason, error) {
	var names []string
	var fit []conditions.Reason
	for _, reason := range t.Reasons {
		if reason.Status != r.Status {
			continue
		}
		if reason.Name == r.Reason || slices.Contains(reason.Aliases, r.Reason) {
			return reason, nil
		}
		fit = append(fit, reason)
		names = append(names, cmp.Or(reason.Name, `""`))
	}
	switch {
	case len(fit) == 0:
		return conditions.Reason{}, fmt.Errorf("%s declares no reason for status %s", t.Name, r.Status)
	case r.Reason != "":
		return conditions.Reason{}, fmt.Errorf("%s=%s declares no reason %s (reasons: %s)", t.Name, r.Status, r.Reason, strings.Join(names, ", "))
	case len(fit) > 1:
		return conditions.Reason{}, fmt.Errorf("%s=%s needs a reason (reasons: %s)", t.Name, r.Status, strings.Join(names, ", "))
	}
	return fit[0], nil
}

func leaves(kind *catalog.Kind) []string {
	var out []string
	for i := range kind.Declaration.Types {
		if name := kind.Declaration.Types[i].Name; !kind.Derives(name) {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return []string{"none"}
	}
	return out
}

func (c checker) setStatus(s SetStatus) error {
	id, err := c.id(s.Ref)
	if err != nil {
		return err
	}
	path := listPath(c.set.Kind(id.GroupKind))
	if nested.List(map[string]any{"status": s.Patch}, path...) != nil {
		return fmt.Errorf("conditions are written with: report %s TYPE=STATUS", s.Ref)
	}
	return nil
}

func (c checker) expect(e Expect) error {
	id, err := c.id(e.Ref)
	if err != nil {
		return err
	}
	kind := c.set.Kind(id.GroupKind)
	if kind == nil {
		return nil
	}
	t := kind.Type(e.Type)
	if t == nil {
		return fmt.Errorf("%s declares no condition %s", e.Ref.Kind, e.Type)
	}
	if e.Reason == "" || t.Imported {
		return nil
	}
	_, err = declared(t, Report{Condition: e.Condition})
	return err
}
