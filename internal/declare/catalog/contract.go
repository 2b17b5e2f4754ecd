// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/expr"
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

// Parts takes a reason apart by the grammar of its type: into itself where it is declared or the type has no grammar. It is nil where
// a part is neither a declared reason of the type nor, with parts type_reason, one of another type of the kind.
func (k *Kind) Parts(conditionType, reason string, status conditions.Status) []string {
	c := k.Condition(conditionType)
	switch {
	case c == nil:
		return nil
	case k.Reason(conditionType, reason, status) != nil:
		return []string{reason}
	case c.Composite == nil:
		return nil
	}
	parts := strings.Split(reason, c.Composite.Separator)
	if c.Composite.Max > 0 && len(parts) > c.Composite.Max {
		return nil
	}
	for _, part := range parts {
		if !k.isPart(c, part, status) {
			return nil
		}
	}
	return parts
}

func (k *Kind) isPart(c *Condition, part string, status conditions.Status) bool {
	if c.Composite.Parts != "type_reason" {
		return k.Reason(c.Type, part, status) != nil
	}
	of, reason, ok := strings.Cut(part, "_")
	other := k.Condition(of)
	return ok && other != nil &&
		slices.ContainsFunc(other.Reasons, func(r Reason) bool { return r.Reason == reason || slices.Contains(r.Aliases, reason) })
}

// Contract returns the form of messages of a cell, which its reason or otherwise its type declares; nil without one.
func (k *Kind) Contract(conditionType, reason string, status conditions.Status) *Message {
	c := k.Condition(conditionType)
	if c == nil {
		return nil
	}
	for i := range c.Reasons {
		if r := &c.Reasons[i]; r.Message.constrains() && r.Status == string(status) &&
			(r.Reason == reason || slices.Contains(r.Aliases, reason)) {
			return r.Message
		}
	}
	return c.Message
}

// constrains reports whether a message has a contract, and not only a text.
func (m *Message) constrains() bool {
	return m != nil && *m != Message{Text: m.Text}
}

// textOf returns the text of a message; empty without one.
func textOf(m *Message) string {
	if m == nil {
		return ""
	}
	return m.Text
}

// verbs are the formatting verbs of a text.
var verbs = regexp.MustCompile(`%(%|s|.?)`)

// Broken returns how a message breaks the contract, as a sentence without a full stop; "" where it keeps it. Every message keeps a
// contract that is nil.
func (m *Message) Broken(text string) string {
	if m == nil {
		return ""
	}
	characters := utf8.RuneCountInString(text)
	switch {
	case len(text) > cmp.Or(m.MaxBytes, wire.MaxMessageBytes):
		return fmt.Sprintf("message has %d bytes, more than %d", len(text), cmp.Or(m.MaxBytes, wire.MaxMessageBytes))
	case characters > cmp.Or(m.MaxCharacters, wire.MaxMessageBytes):
		return fmt.Sprintf("message has %d characters, more than %d", characters, m.MaxCharacters)
	case !strings.HasPrefix(text, m.Prefix):
		return fmt.Sprintf("message does not begin with %q", m.Prefix)
	case m.Template != "" && !m.pattern().MatchString(text):
		return fmt.Sprintf("message does not follow %q", m.Template)
	}
	return ""
}

var placeholder = regexp.MustCompile(`\{[A-Za-z][A-Za-z0-9_]*\}`)

// pattern is the template as a regular expression, which is matched in linear time.
func (m *Message) pattern() *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	rest := m.Template
	for {
		at := placeholder.FindStringIndex(rest)
		if at == nil {
			break
		}
		b.WriteString(regexp.QuoteMeta(rest[:at[0]]) + ".+")
		rest = rest[at[1]:]
	}
	b.WriteString(regexp.QuoteMeta(rest) + `\z`)
	return regexp.MustCompile(b.String())
}

// contract checks the part of a catalog about names over time, writers and messages.
func (c *compiler) contract() {
	spec := &c.source.Spec
	c.kind.Settled = c.program("spec.settled", spec.Settled, expr.ScopeSelf, expr.Bool)
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
	c.message(path+".message", d.Message)
	c.composite(path+".composite", d)
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
	if m := d.MirrorOf; m != nil {
		if c.known(path+".mirrorOf.type", m.Type, CodeMirror); c.kind.Canonical(m.Type) == d.Type {
			c.fail(path+".mirrorOf.type", "", "%s mirrors itself", d.Type).of(CodeMirror)
		}
	}
	if d.While != "" {
		if c.known(path+".while", d.While, ""); c.kind.Canonical(d.While) == d.Type {
			c.fail(path+".while", "", "%s is there while it is there", d.Type)
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

func (c *compiler) message(path string, m *Message) {
	if verbs := slices.DeleteFunc(verbs.FindAllString(textOf(m), -1), func(v string) bool { return v == "%%" }); len(verbs) > 1 ||
		len(verbs) == 1 && verbs[0] != "%s" {
		c.fail(path+".text", "write %s once, for the text that a call formats, and %% for a percent sign", "the text has %s",
			strings.Join(verbs, ", ")).of(CodeMessage)
	}
	switch {
	case m == nil:
	case m.Prefix != "" && m.Template != "":
		c.fail(path, "begin the template with the prefix", "a message has either a prefix or a template").of(CodeMessage)
	case m.MaxBytes > wire.MaxMessageBytes || m.MaxCharacters > wire.MaxMessageBytes:
		c.fail(path, "", "the API server refuses messages longer than %d", wire.MaxMessageBytes).of(CodeMessage)
	case m.MaxBytes > 0 && m.MaxBytes < max(len(m.Prefix), len(placeholder.ReplaceAllString(m.Template, "x"))):
		c.fail(path+".maxBytes", "", "no message that follows the contract is that short").of(CodeMessage)
	}
}

// composite checks that joined reasons are reasons: of allowed characters and not too long.
func (c *compiler) composite(path string, d *Condition) {
	g := d.Composite
	if g == nil {
		return
	}
	if !wire.ValidReason("A" + g.Separator + "A") {
		c.fail(path+".separator", `use "_", "," or "::"`, "%q cannot stand in a reason", g.Separator).of(CodeComposite)
	}
	longest := 0
	for i := range c.source.Spec.Conditions {
		other := &c.source.Spec.Conditions[i]
		for j := range other.Reasons {
			r := other.Reasons[j].Reason
			switch {
			case g.Parts == "type_reason":
				longest = max(longest, len(other.Type)+1+len(r))
			case other.Type == d.Type:
				longest = max(longest, len(r))
			}
			if g.Parts != "type_reason" && other.Type == d.Type && strings.Contains(r, g.Separator) {
				c.fail(path+".separator", "", "reason %q contains the separator and cannot be distinguished from a joined one", r).of(CodeComposite)
			}
		}
	}
	if total := g.Max*longest + (g.Max-1)*len(g.Separator); g.Max > 0 && total > wire.MaxReasonBytes {
		c.fail(path+".max", "allow fewer parts", "%d parts are up to %d characters long, more than %d", g.Max, total,
			wire.MaxReasonBytes).of(CodeComposite)
	}
}
