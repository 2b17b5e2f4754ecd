// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/english"
	"k8s.io/apimachinery/pkg/util/version"
)

// Level is the effect of a change on clients.
type Level string

// The levels, worst first.
const (
	Breaking   Level = "breaking"
	Note       Level = "note"
	Compatible Level = "compatible"
)

// Change is one change of the vocabulary.
type Change struct {
	// ID names the rule: compat/ID is the check, or compat/other-change if the rule has no check of its own.
	ID      string `json:"id"`
	Level   Level  `json:"level"`
	Subject string `json:"subject"` // Kind.group/Type=Status/Reason
	Message string `json:"message"` // one sentence, lower-case
	Fix     string `json:"fix,omitempty"`
}

// Worst returns the worst level of changes; empty without any.
func Worst(changes []Change) Level {
	for _, l := range []Level{Breaking, Note, Compatible} {
		if slices.ContainsFunc(changes, func(c Change) bool { return c.Level == l }) {
			return l
		}
	}
	return ""
}

type comparer struct{ changes []Change }

func (c *comparer) add(level Level, id, subject, fix, format string, args ...any) {
	c.changes = append(c.changes, Change{ID: id, Level: level, Subject: subject, Message: fmt.Sprintf(format, args...), Fix: fix})
}

// Compare returns the changes from one version to the next.
func Compare(before, after []*catalog.Document) []Change {
	c := &comparer{}
	pairs := pair(before, after)
	for i, old := range before {
		name := KindOf(old)
		if now := pairs[i]; now != nil {
			c.spec(name, &old.Spec, &now.Spec)
			c.fields(name, reflect.ValueOf(*old), reflect.ValueOf(*now))
			c.fields(name, reflect.ValueOf(old.Metadata), reflect.ValueOf(now.Metadata))
		} else {
			c.add(Breaking, "kind-removed", name, "", "%s has no catalog any more", name)
		}
	}
	for _, now := range after {
		if name := KindOf(now); !slices.Contains(pairs, now) {
			c.add(Compatible, "kind-added", name, "", "%s has a catalog", name)
		}
	}
	return c.changes
}

// pair returns for each document of the earlier version the one of the later version that is for the same kind; nil without any. Each has
// at most one counterpart. The one for the same versions counts first, then the one of the same name, then one that shares a version, then
// the only one of its kind.
func pair(before, after []*catalog.Document) []*catalog.Document {
	out := make([]*catalog.Document, len(before))
	for _, fits := range []func(a, b *catalog.Document) bool{
		func(a, b *catalog.Document) bool { return slices.Equal(a.Spec.For.Versions, b.Spec.For.Versions) },
		func(a, b *catalog.Document) bool { return a.Metadata.Name == b.Metadata.Name },
		func(a, b *catalog.Document) bool { return len(kept(a.Spec.For.Versions, b.Spec.For.Versions)) > 0 },
		func(a, b *catalog.Document) bool { return count(before, a) == 1 && count(after, b) == 1 },
	} {
		for i, old := range before {
			if out[i] != nil {
				continue
			}
			if j := slices.IndexFunc(after, func(now *catalog.Document) bool {
				return KindOf(now) == KindOf(old) && !slices.Contains(out, now) && fits(old, now)
			}); j >= 0 {
				out[i] = after[j]
			}
		}
	}
	return out
}

func count(list []*catalog.Document, d *catalog.Document) (n int) {
	for _, o := range list {
		if KindOf(o) == KindOf(d) {
			n++
		}
	}
	return n
}

// KindOf returns the kind, or kinds, and the group that a document is for.
func KindOf(d *catalog.Document) string {
	f := &d.Spec.For
	return strings.TrimSuffix(cmp.Or(f.Kind, strings.Join(f.Kinds, "+"))+"."+f.Group, ".")
}

func (c *comparer) spec(name string, old, now *catalog.Spec) {
	c.fields(name, reflect.ValueOf(*old), reflect.ValueOf(*now))
	c.fields(name, reflect.ValueOf(old.For), reflect.ValueOf(now.For))
	for _, t := range old.Retired {
		if i := typeNamed(now, t); i != nil && i.Type == t {
			c.add(Breaking, "tombstone-reused", name+"/"+t, "choose another name", "retired condition type %s is used again", t)
		} else if !slices.Contains(now.Retired, t) {
			c.add(Note, "tombstone-removed", name+"/"+t, "keep it in retired", "%s is not listed as retired any more", t)
		}
	}
	var removed []*catalog.Condition
	for i := range old.Conditions {
		was := &old.Conditions[i]
		is := typeNamed(now, was.Type)
		subject := name + "/" + was.Type
		switch {
		case is == nil:
			removed = append(removed, was)
		case is.Type != was.Type:
			c.add(Note, "type-renamed", subject, "", "condition type %s is called %s; the old name is read as an alias", was.Type, is.Type)
			c.condition(subject, was, is)
		default:
			c.condition(subject, was, is)
		}
	}
	var added []*catalog.Condition
	for i := range now.Conditions {
		is := &now.Conditions[i]
		if !slices.ContainsFunc(old.Conditions, func(o catalog.Condition) bool {
			return o.Type == is.Type || slices.Contains(o.Aliases, is.Type) || slices.Contains(is.Aliases, o.Type)
		}) {
			added = append(added, is)
		}
	}
	c.types(name, now, removed, added)
	if slices.Equal(names(old), names(now)) {
		return
	}
	if a, b := kept(names(old), names(now)), kept(names(now), names(old)); !slices.Equal(a, b) {
		c.add(Compatible, "order-changed", name, "", "condition types stand in another order: %s", strings.Join(b, ", "))
	}
}

// types classifies condition types that were removed and added.
func (c *comparer) types(name string, now *catalog.Spec, removed, added []*catalog.Condition) {
	unpaired := slices.Clone(added)
	for _, was := range removed {
		subject := name + "/" + was.Type
		renamed := slices.IndexFunc(unpaired, func(a *catalog.Condition) bool { return alike(was.Type, a.Type, was.Meaning, a.Meaning) })
		switch {
		case renamed >= 0:
			c.add(Breaking, "renamed-without-alias", subject, fmt.Sprintf("add aliases: [%s] to %s", was.Type, unpaired[renamed].Type),
				"condition type %s seems to be called %s now, and the old name is not read", was.Type, unpaired[renamed].Type)
			unpaired = slices.Delete(unpaired, renamed, renamed+1)
		case was.Deprecated != nil:
			c.add(Note, "deprecated-type-removed", subject, "", "condition type %s is removed, after it was deprecated", was.Type)
		default:
			c.add(Breaking, "type-removed", subject, "deprecate it first", "condition type %s is removed", was.Type)
		}
		if renamed < 0 && !slices.Contains(now.Retired, was.Type) {
			c.add(Note, "tombstone-missing", subject, "add "+was.Type+" to retired", "condition type %s is removed and not retired, so that its "+
				"name could be used again", was.Type)
		}
	}
	for _, is := range added {
		level, id := Compatible, "type-added"
		if is.Role != "informational" && is.Polarity != "neutral" && !is.Optional {
			level = Note // it counts in the summary
		}
		c.add(level, id, name+"/"+is.Type, "", "condition type %s is new", is.Type)
	}
}

func (c *comparer) condition(subject string, was, is *catalog.Condition) {
	c.fields(subject, reflect.ValueOf(*was), reflect.ValueOf(*is))
	c.deprecated(subject, was.Deprecated, is.Deprecated)
	c.aliases(subject, append([]string{was.Type}, was.Aliases...), append([]string{is.Type}, is.Aliases...))
	for _, s := range missing(statuses(was), statuses(is)) {
		c.add(Breaking, "status-narrowed", subject+"="+s, "", "%s cannot be %s any more", is.Type, s)
	}
	for _, s := range missing(statuses(is), statuses(was)) {
		c.add(Note, "status-widened", subject+"="+s, "", "%s can be %s", is.Type, s)
	}
	switch {
	case was.Open == "" && is.Open != "":
		c.add(Note, "opened", subject, "", "the reasons of %s are an open set", is.Type)
	case was.Open != "" && is.Open == "":
		c.add(Breaking, "closed", subject, "", "the reasons of %s are a closed set", is.Type)
	case was.Open != is.Open:
		c.add(Note, "open-rule-changed", subject, "", "clients treat unknown reasons of %s in another way", is.Type)
	}
	c.reasons(subject, was, is)
}

func (c *comparer) reasons(subject string, was, is *catalog.Condition) {
	for _, r := range was.Retired {
		if slices.ContainsFunc(is.Reasons, func(o catalog.Reason) bool { return o.Reason == r }) {
			c.add(Breaking, "tombstone-reused", subject+"/"+r, "choose another name", "retired reason %s is used again", r)
		} else if !slices.Contains(is.Retired, r) {
			c.add(Note, "tombstone-removed", subject+"/"+r, "keep it in retired", "%s is not listed as retired any more", r)
		}
	}
	var gone, came []*catalog.Reason
	for i := range was.Reasons {
		o := &was.Reasons[i]
		if n := cell(is, o.Reason, o.Status); n != nil {
			at := subject + "=" + o.Status + "/" + o.Reason
			if n.Reason != o.Reason {
				c.add(Note, "reason-renamed", at, "", "reason %s is called %s; the old name is read as an alias", o.Reason, n.Reason)
			}
			c.fields(at, reflect.ValueOf(*o), reflect.ValueOf(*n))
			c.deprecated(at, o.Deprecated, n.Deprecated)
			c.aliases(at, append([]string{o.Reason}, o.Aliases...), append([]string{n.Reason}, n.Aliases...))
			continue
		}
		gone = append(gone, o)
	}
	for i := range is.Reasons {
		n := &is.Reasons[i]
		if !slices.ContainsFunc(was.Reasons, func(o catalog.Reason) bool {
			return o.Status == n.Status && (o.Reason == n.Reason || slices.Contains(n.Aliases, o.Reason) || slices.Contains(o.Aliases, n.Reason))
		}) {
			came = append(came, n)
		}
	}
	unpaired := slices.Clone(came)
	for _, o := range gone {
		at := subject + "=" + o.Status + "/" + o.Reason
		moved := slices.IndexFunc(came, func(n *catalog.Reason) bool { return n.Reason == o.Reason })
		renamed := slices.IndexFunc(unpaired, func(n *catalog.Reason) bool {
			return n.Status == o.Status && alike(o.Reason, n.Reason, o.Meaning, n.Meaning)
		})
		still := slices.ContainsFunc(is.Reasons, func(n catalog.Reason) bool { return n.Reason == o.Reason })
		switch {
		case moved >= 0:
			c.add(Breaking, "cell-moved", at, "", "reason %s goes with %s=%s, not with %s", o.Reason, is.Type, came[moved].Status, o.Status)
			came = slices.Delete(came, moved, moved+1)
			continue
		case renamed >= 0:
			c.add(Breaking, "renamed-without-alias", at, fmt.Sprintf("add aliases: [%s] to %s", o.Reason, unpaired[renamed].Reason),
				"reason %s seems to be called %s now, and the old name is not read", o.Reason, unpaired[renamed].Reason)
			unpaired = slices.Delete(unpaired, renamed, renamed+1)
		case o.Deprecated != nil:
			c.add(Note, "deprecated-reason-removed", at, "", "reason %s is removed, after it was deprecated", o.Reason)
		default:
			c.add(Breaking, "reason-removed", at, "deprecate it first", "reason %s of %s=%s is removed", o.Reason, is.Type, o.Status)
		}
		if renamed < 0 && !still && !slices.Contains(is.Retired, o.Reason) {
			c.add(Note, "tombstone-missing", at, "add "+o.Reason+" to retired", "reason %s is removed and not retired, so that its name could be "+
				"used again", o.Reason)
		}
	}
	for _, n := range came {
		at := subject + "=" + n.Status + "/" + n.Reason
		if is.Open == "" {
			c.add(Note, "reason-added-closed", at, "", "reason %s of %s=%s is new in a closed set", n.Reason, is.Type, n.Status)
		} else {
			c.add(Compatible, "reason-added-open", at, "", "reason %s of %s=%s is new", n.Reason, is.Type, n.Status)
		}
	}
	if a, b := kept(cells(was), cells(is)), kept(cells(is), cells(was)); !slices.Equal(a, b) {
		c.add(Note, "precedence-changed", subject, "", "reasons of %s have another precedence: %s", is.Type, strings.Join(b, ", "))
	}
}

func (c *comparer) deprecated(subject string, was, is *catalog.Deprecation) {
	switch {
	case was == nil && is != nil:
		c.add(Note, "deprecated", subject, "", "%s is deprecated%s", subject, successor(is))
		if is.RenamedTo == "" && is.Note == "" {
			c.add(Note, "deprecated-without-replacement", subject, "name a successor", "%s is deprecated and nothing takes its place", subject)
		}
	case was != nil && is == nil:
		c.add(Note, "undeprecated", subject, "", "%s is not deprecated any more", subject)
	case was != nil && is != nil && *was != *is:
		if earlier(is.EarliestRemoval, was.EarliestRemoval) {
			c.add(Breaking, "sunset-too-soon", subject, "", "%s may be removed from %s on, earlier than the announced %s", subject,
				cmp.Or(is.EarliestRemoval, "now"), was.EarliestRemoval)
		} else {
			c.add(Note, "deprecation-changed", subject, "", "the deprecation of %s changed%s", subject, successor(is))
		}
	}
}

// earlier compares versions by their numbers, and other text, such as dates, as text. An empty one is the earliest.
func earlier(a, b string) bool {
	x, errX := version.ParseGeneric(a)
	y, errY := version.ParseGeneric(b)
	if errX == nil && errY == nil {
		return x.LessThan(y)
	}
	return a < b
}

func successor(d *catalog.Deprecation) string {
	if d.RenamedTo == "" {
		return ""
	}
	return ": use " + d.RenamedTo
}

func (c *comparer) aliases(subject string, was, is []string) {
	for _, a := range missing(was, is) {
		c.add(Breaking, "alias-removed", subject, "keep the alias", "%s is not read any more", a)
	}
	for _, a := range missing(is, was) {
		if a != is[0] {
			c.add(Compatible, "alias-added", subject, "", "%s is read as an alias", a)
		}
	}
}

// typeNamed returns a type by its name or an alias.
func typeNamed(s *catalog.Spec, name string) *catalog.Condition {
	for i := range s.Conditions {
		if t := &s.Conditions[i]; t.Type == name || slices.Contains(t.Aliases, name) {
			return t
		}
	}
	return nil
}

func cell(c *catalog.Condition, reason, status string) *catalog.Reason {
	for i := range c.Reasons {
		if r := &c.Reasons[i]; r.Status == status && (r.Reason == reason || slices.Contains(r.Aliases, reason)) {
			return r
		}
	}
	return nil
}

func names(s *catalog.Spec) []string {
	var out []string
	for i := range s.Conditions {
		out = append(out, s.Conditions[i].Type)
	}
	return out
}

func cells(c *catalog.Condition) []string {
	var out []string
	for i := range c.Reasons {
		out = append(out, c.Reasons[i].Status+"/"+c.Reasons[i].Reason)
	}
	return out
}

func statuses(c *catalog.Condition) []string {
	out := slices.Clone(c.Statuses)
	for i := range c.Reasons {
		if len(c.Statuses) == 0 && !slices.Contains(out, c.Reasons[i].Status) {
			out = append(out, c.Reasons[i].Status)
		}
	}
	slices.Sort(out)
	return out
}

// missing returns the members of a that b lacks.
func missing(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// kept returns the members of a that b has too, in the order of a.
func kept(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !slices.Contains(b, s) })
}

// alike reports whether a name is probably the successor of another one: it has the same words in another order or form, most of its words,
// or the same meaning.
func alike(a, b, meaningOfA, meaningOfB string) bool {
	if english.Key(a) == english.Key(b) || meaningOfA != "" && strings.EqualFold(strings.TrimSuffix(meaningOfA, "."),
		strings.TrimSuffix(meaningOfB, ".")) {
		return true
	}
	x, y := english.Words(a), english.Words(b)
	both := len(kept(x, y))
	return both >= 2 && both*3 >= 2*max(len(x), len(y))
}
