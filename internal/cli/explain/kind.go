// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
)

// subject is the kind, type or reason of KIND[.TYPE[.REASON]].
type subject struct {
	kind   *catalog.Kind
	typ    *conditions.Type
	reason string
}

// lookup returns the subjects that a word names among catalogs: a kind, alone or with its group, then a type, then a reason; in any case of
// letters. It returns every kind that fits, and an error where the kind is known and the rest is not.
func lookup(set *catalog.Set, word string) ([]subject, error) {
	var out []subject
	var missing error
	for _, k := range slices.Concat(set.Kinds(), set.Trees) {
		rest, ok := afterKind(k, word)
		if !ok || slices.ContainsFunc(out, func(s subject) bool { return s.kind == k }) {
			continue
		}
		name, reason, _ := strings.Cut(rest, ".")
		if name == "" {
			out = append(out, subject{kind: k})
			continue
		}
		t := typeOf(k, name)
		switch {
		case len(k.Declaration.Types) == 0:
		case t == nil:
			missing = fmt.Errorf("%s has no condition type %q; it has %s", k.For.Kind, name, strings.Join(typeNames(k), ", "))
		case reason != "" && !hasReason(t, reason):
			missing = fmt.Errorf("%s of %s has no reason %q; it has %s", t.Name, k.For.Kind, reason, strings.Join(reasonNames(t), ", "))
		default:
			out = append(out, subject{kind: k, typ: t, reason: reason})
		}
	}
	if len(out) == 0 {
		return nil, missing
	}
	return out, nil
}

// afterKind returns the text behind the kind, which is Kind.group or Kind, in a word.
func afterKind(k *catalog.Kind, word string) (rest string, ok bool) {
	for _, name := range []string{k.For.String(), k.For.Kind} {
		if len(word) >= len(name) && strings.EqualFold(word[:len(name)], name) {
			if rest := word[len(name):]; rest == "" || rest[0] == '.' {
				return strings.TrimPrefix(rest, "."), true
			}
		}
	}
	return "", false
}

func typeOf(k *catalog.Kind, name string) *conditions.Type {
	if t := k.Type(name); t != nil {
		return t
	}
	for i := range k.Declaration.Types {
		if strings.EqualFold(k.Declaration.Types[i].Name, name) {
			return &k.Declaration.Types[i]
		}
	}
	return nil
}

func hasReason(t *conditions.Type, name string) bool {
	return slices.ContainsFunc(t.Reasons, func(r conditions.Reason) bool { return is(&r, name) })
}

func is(r *conditions.Reason, name string) bool {
	return strings.EqualFold(r.Name, name) || slices.ContainsFunc(r.Aliases, func(alias string) bool { return strings.EqualFold(alias, name) })
}

func typeNames(k *catalog.Kind) (out []string) {
	for i := range k.Declaration.Types {
		out = append(out, k.Declaration.Types[i].Name)
	}
	return out
}

func reasonNames(t *conditions.Type) (out []string) {
	for i := range t.Reasons {
		out = append(out, cmp.Or(t.Reasons[i].Name, `""`))
	}
	return out
}

// write prints the declaration.
func (s subject) write(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	switch {
	case s.typ == nil:
		s.writeKind(out)
	case s.reason == "":
		s.writeType(out)
	default:
		s.writeReason(out)
	}
	return out.Flush()
}

func (s subject) writeKind(w io.Writer) {
	k := s.kind
	fmt.Fprintf(w, "KIND\t%s\n", k.For)
	if len(k.Versions) > 0 {
		fmt.Fprintf(w, "VERSIONS\t%s\n", strings.Join(k.Versions, ", "))
	}
	fmt.Fprintf(w, "CATALOG\t%s (%s)\n", k.Source.Metadata.Name, strings.TrimPrefix(k.Source.At("spec").File, "embedded:"))
	fmt.Fprintf(w, "DIALECT\t%s\n", k.Dialect)
	if m := k.Manager(); m != "" {
		fmt.Fprintf(w, "MANAGER\t%s\n", m)
	}
	if len(k.Declaration.Types) > 0 {
		fmt.Fprint(w, "\nCONDITION\tROLE\tPOLARITY\tFROM\tMEANING WHEN TRUE\n")
		for i := range k.Declaration.Types {
			t := &k.Declaration.Types[i]
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", t.Name, t.Role, t.Polarity, first(s.origin(t.Name)), declared(k, t.Name).Meaning)
		}
	}
	if len(k.Facts) > 0 {
		fmt.Fprint(w, "\nFACT\tCLASS\tREPORTS\tMEANING\n")
		for i := range k.Facts {
			f := &k.Facts[i]
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", f.Reason, f.Class, f, f.Meaning)
		}
	}
	if len(k.Source.Spec.Verdicts)+len(k.Source.Spec.States) > 0 {
		fmt.Fprint(w, "\nVERDICT\tWHEN\n")
		for _, v := range k.Source.Spec.Verdicts {
			fmt.Fprintf(w, "%s\t%s\n", v.Verdict, cmp.Or(strings.Join(strings.Fields(v.When), " "), "otherwise"))
		}
		for _, v := range k.Source.Spec.States {
			for _, word := range slices.Sorted(maps.Keys(v.Words)) {
				fmt.Fprintf(w, "%s\t%s is %s\n", v.Words[word], cmp.Or(v.Path, "condition "+v.Condition), word)
			}
		}
	}
	if tree := k.Source.Spec.Tree; len(k.Relations)+len(tree) > 0 {
		fmt.Fprint(w, "\nRELATION\tTO\tMEANING\n")
		for _, l := range k.Relations {
			fmt.Fprintf(w, "%s\t%s\t%s\n", l.Name, cmp.Or(l.Relation.Kind, "what the reference names"), l.Meaning)
		}
		for _, b := range tree {
			fmt.Fprintf(w, "%s\t%s\t%s %s\n", b.Relation, cmp.Or(b.Kind, "any kind"), cmp.Or(b.Way, "refs"),
				strings.Join(slices.Concat(b.Paths, b.Self), ", "))
		}
	}
}

func (s subject) writeType(w io.Writer) {
	t, d := s.typ, declared(s.kind, s.typ.Name)
	fmt.Fprintf(w, "CONDITION\t%s of %s\n", t.Name, s.kind.For)
	fmt.Fprintf(w, "MEANING\tWhen True: %s\n", d.Meaning)
	fmt.Fprintf(w, "ROLE\t%s\nPOLARITY\t%s\nPRESENCE\t%s\nFROM\t%s\n", t.Role, t.Polarity, t.Presence, s.origin(t.Name))
	if len(d.Aliases) > 0 {
		fmt.Fprintf(w, "ALIASES\t%s\n", strings.Join(d.Aliases, ", "))
	}
	if len(t.Reasons) > 0 {
		fmt.Fprint(w, "\nREASON\tSTATUS\tCLASS\tSEVERITY\tMEANING\n")
		for i := range t.Reasons {
			r := &t.Reasons[i]
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", cmp.Or(r.Name, `""`), r.Status, r.Class, cmp.Or(string(r.Severity), "-"), reasonOf(d, r).Meaning)
		}
		fmt.Fprintln(w, "\nThe first reason that applies wins.")
	}
}

func (s subject) writeReason(w io.Writer) {
	d := declared(s.kind, s.typ.Name)
	first := true
	for i := range s.typ.Reasons {
		r := &s.typ.Reasons[i]
		if !is(r, s.reason) {
			continue
		}
		if !first {
			fmt.Fprintln(w)
		}
		first = false
		source := reasonOf(d, r)
		fmt.Fprintf(w, "REASON\t%s of %s of %s\n", r.Name, s.typ.Name, s.kind.For)
		fmt.Fprintf(w, "CELL\t%s=%s\nCLASS\t%s (%s)\n", s.typ.Name, r.Status, r.Class, classes[r.Class])
		if r.Severity != conditions.SeverityNone {
			fmt.Fprintf(w, "SEVERITY\t%s\n", r.Severity)
		}
		fmt.Fprintf(w, "MEANING\t%s\n", source.Meaning)
		for _, f := range s.kind.FactsOf(s.typ.Name, r.Name, r.Status) {
			fmt.Fprintf(w, "FACT\t%s: %s\n", f.Reason, f)
		}
		if source.Retry != "" {
			fmt.Fprintf(w, "RETRY\t%s\n", source.Retry)
		}
		if source.Deadline != nil {
			fmt.Fprintf(w, "DEADLINE\t%s\n", source.Deadline)
		}
		if source.Hold != "" {
			fmt.Fprintf(w, "HOLD\tpublished once it has lasted %s\n", source.Hold)
		}
		if source.Remedy != "" {
			fmt.Fprintf(w, "REMEDY\t%s\n", source.Remedy)
		}
		if len(r.Aliases) > 0 {
			fmt.Fprintf(w, "ALIASES\t%s\n", strings.Join(r.Aliases, ", "))
		}
	}
}

// classes are the meanings of the classes.
var classes = map[conditions.Class]string{conditions.ClassOK: "healthy", conditions.ClassProgress: "work is under way",
	conditions.ClassTransient: "will be tried again",
	conditions.ClassTerminal:  "needs a person", conditions.ClassSuspended: "off on purpose"}

// origin returns who writes a type: a reporter, or a derivation.
func (s subject) origin(name string) string {
	d := declared(s.kind, name).Derive
	switch {
	case d == nil:
		return "reported"
	case d.Summary != nil && len(d.Summary.Of) > 0:
		return "summary of " + strings.Join(d.Summary.Of, ", ")
	case d.Summary != nil:
		return "summary"
	case d.Mirror != nil:
		return "mirror of " + d.Mirror.Of + " " + cmp.Or(d.Mirror.Type, "Ready")
	case d.Aggregate != nil:
		return "aggregate of " + d.Aggregate.Of + " " + cmp.Or(d.Aggregate.Type, "Ready")
	}
	return "rules"
}

// first returns the origin without the list of a summary, which the page about the type has.
func first(origin string) string {
	if strings.HasPrefix(origin, "summary ") {
		return "summary"
	}
	return origin
}

// declared returns a type as its catalog declares it.
func declared(k *catalog.Kind, name string) catalog.Condition {
	if c := k.Condition(name); c != nil {
		return *c
	}
	return catalog.Condition{Type: name}
}

// reasonOf returns a reason as its catalog declares it; empty for one that is carried over from an input.
func reasonOf(c catalog.Condition, r *conditions.Reason) catalog.Reason {
	for _, one := range c.Reasons {
		if one.Reason == r.Name && one.Status == string(r.Status) {
			return one
		}
	}
	return catalog.Reason{}
}

var indexes = regexp.MustCompile(`\[[^\]]*\]`)

// textWidth is the width to which descriptions are broken.
const textWidth = 96

// indent breaks text between words and sets its lines in.
func indent(text, in string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
			b.WriteString(in)
			column = len(in)
		case column+1+len(word) > textWidth:
			b.WriteString("\n" + in)
			column = len(in)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
