// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// Condition finds the declaration of a type, as its author wrote it, by its name or an alias; nil without one.
func (k *Kind) Condition(name string) *Condition {
	name = k.Canonical(name)
	for i := range k.Source.Spec.Conditions {
		if k.Source.Spec.Conditions[i].Type == name {
			return &k.Source.Spec.Conditions[i]
		}
	}
	return nil
}

// Names are all names that a type is read under: its own, its aliases, and the deprecated types that are renamed to it. It is nil for a
// type that is not declared.
func (k *Kind) Names(conditionType string) []string {
	c := k.Condition(conditionType)
	if c == nil {
		return nil
	}
	out := append([]string{c.Type}, c.Aliases...)
	for i := range k.Source.Spec.Conditions {
		if o := &k.Source.Spec.Conditions[i]; o.Deprecated != nil && o.Deprecated.RenamedTo == c.Type {
			out = append(append(out, o.Type), o.Aliases...)
		}
	}
	return out
}

// verbs are the formatting verbs of a text.
var verbs = regexp.MustCompile(`%(%|s|.?)`)

// contract checks the part of a catalog about names over time, writers and messages.
func (c *compiler) contract() {
	spec := &c.source.Spec
	for i, group := range spec.Exclusive {
		at := index("spec.exclusive", i)
		if len(group) < 2 {
			c.fail(at, "name at least two types", "a group of one type excludes nothing").of(CodeExclusive)
		}
		for j, name := range group {
			c.known(index(at, j), name, CodeExclusive)
			if slices.Contains(group[:j], name) {
				c.fail(index(at, j), "", "%s is listed twice", name).of(CodeExclusive)
			}
		}
	}
	for i := range spec.Conditions {
		c.contractOf(index("spec.conditions", i), &spec.Conditions[i])
	}
}

func (c *compiler) contractOf(path string, d *Condition) {
	c.deprecation(path+".deprecated", d.Deprecated, d.Type, "condition type", c.typeNames(), func(name string) *Deprecation {
		if other := c.kind.Condition(name); other != nil {
			return other.Deprecated
		}
		return nil
	})
	var reasons []string
	deprecated := map[string]*Deprecation{}
	for i := range d.Reasons {
		reasons = append(reasons, d.Reasons[i].Reason)
		deprecated[d.Reasons[i].Reason] = d.Reasons[i].Deprecated
	}
	for i := range d.Reasons {
		r, at := &d.Reasons[i], index(path+".reasons", i)
		c.deprecation(at+".deprecated", r.Deprecated, r.Reason, "reason", reasons, func(name string) *Deprecation { return deprecated[name] })
		c.message(at+".message", r.Message)
		if slices.Contains(d.Retired, r.Reason) {
			c.fail(at+".reason", "choose another name: a retired one is never used again", "reason %q is retired", r.Reason).of(CodeReserved)
		}
		for j, alias := range r.Aliases {
			if slices.Contains(d.Retired, alias) {
				c.fail(index(at+".aliases", j), "take it out of retired: an alias is still read", "reason %q is retired", alias).of(CodeReserved)
			}
		}
	}
	for i, w := range d.Writers {
		at := index(path+".writers", i)
		if w.Kind == "" && w.Manager == "" {
			c.fail(at, "write kind: Kind.group, or manager", "the writer of %s has neither a kind nor a manager", d.Type).of(CodeWriter)
		}
		for j, reason := range w.Reasons {
			if !slices.Contains(reasons, reason) {
				c.fail(index(at+".reasons", j), suggest(reason, reasons), "%s declares no reason %q", d.Type, reason).of(CodeWriter)
			}
		}
	}
}

// typeNames are the names of all declared types.
func (c *compiler) typeNames() []string {
	var out []string
	for i := range c.source.Spec.Conditions {
		out = append(out, c.source.Spec.Conditions[i].Type)
	}
	return out
}

// known fails for a type that is not declared.
func (c *compiler) known(path, name string, code Code) {
	if c.kind.Condition(name) == nil {
		c.fail(path, suggest(name, c.typeNames()), "unknown condition type %q", name).of(code)
	}
}

func (c *compiler) deprecation(path string, d *Deprecation, name, noun string, known []string, of func(string) *Deprecation) {
	switch {
	case d == nil:
		return
	case d.RenamedTo == "" && d.Note == "":
		c.fail(path, "write renamedTo, or a note that says what to use instead", "%s %s is deprecated without a successor", noun,
			name).of(CodeDeprecation)
	case d.RenamedTo == "":
	case d.RenamedTo == name:
		c.fail(path+".renamedTo", "", "%s %s is renamed to itself", noun, name).of(CodeDeprecation)
	case !slices.Contains(known, d.RenamedTo):
		c.fail(path+".renamedTo", suggest(d.RenamedTo, known), "%s %s is renamed to %q, which is not declared", noun, name,
			d.RenamedTo).of(CodeDeprecation)
	case of(d.RenamedTo) != nil:
		c.fail(path+".renamedTo", "name the last of the chain", "%s %s is renamed to %s, which is deprecated itself", noun, name,
			d.RenamedTo).of(CodeDeprecation)
	}
	since, errSince := time.Parse(time.DateOnly, d.Since)
	removal, errRemoval := time.Parse(time.DateOnly, d.EarliestRemoval)
	if errSince == nil && errRemoval == nil && removal.Before(since) {
		c.fail(path+".earliestRemoval", "", "%s %s would be removed before it is deprecated", noun, name).of(CodeDeprecation)
	}
}

func (c *compiler) message(path, text string) {
	if verbs := slices.DeleteFunc(verbs.FindAllString(text, -1), func(v string) bool { return v == "%%" }); len(verbs) > 1 ||
		len(verbs) == 1 && verbs[0] != "%s" {
		c.fail(path, "write %s once, for the text that a call formats, and %% for a percent sign", "the text has %s",
			strings.Join(verbs, ", ")).of(CodeMessage)
	}
}
