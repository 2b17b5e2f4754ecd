// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
)

// typeView is the part of a type that templates need.
type typeView struct {
	conditions.Type
	Ident    string // exported identifier
	Derived  bool   // comes from other objects: takes a merged condition instead of cells
	From     string // the merge of the catalog, as a call over input or inputs; empty: it asks for more than their conditions
	Computed bool   // the library computes it at commit
	Calls    []callView
	// ReasonType is the name of the type whose constants are the cells; may be empty.
	ReasonType string
	// Progresses: a deadline counts since the last progress.
	Progresses bool
	// Waits: a cell has a deadline or a hold, of which the beginning is stored.
	Waits bool
	// Leaves: the condition need not be in the list.
	Leaves bool
}

// callView is one declared cell.
type callView struct {
	conditions.Reason
	Ident string // of the method, unique in its type
	Const string // of the reason constant; empty for a bare cell
	Value string // of the constant of the cell; may be empty
	// Method: the type has a call for the cell. The others are reported by facts only.
	Method bool
}

// factView is a fact: one call that reports cells of several types.
type factView struct {
	*catalog.KindFact
	Ident string
	Cells []factCell
}

type factCell struct {
	typ  *typeView
	call *callView
}

// constView is one reason constant; a reason of several types has one.
type constView struct{ Ident, Name string }

type kindView struct {
	Kind    *catalog.Kind
	Package string
	Types   []typeView
	Reasons []constView
	Facts   []factView
}

func viewOf(k *catalog.Kind, pkg string) kindView {
	v := kindView{Kind: k, Package: pkg}
	members := names{"Commit": true, "Repeat": true, "Untyped": true} // of Pass
	scope := names{"Kind": true, "Pass": true, "Begin": true, "BeginList": true}
	byName := map[string]int{}
	for i, t := range k.Declaration.Types {
		view := typeView{Type: t, Ident: members.unique(ident(t.Name))}
		view.Computed = t.Summary != nil || ofKstatus(k, t)
		if d := k.Source.Spec.Conditions[i].Derive; d != nil {
			view.Computed = view.Computed || d.Summary != nil
			view.Derived = d.Mirror != nil || d.Aggregate != nil
			view.From = from(i, d)
		}
		view.Leaves = t.Optional || t.Presence != conditions.PresenceAlways || view.Derived
		scope["Type"+view.Ident], scope[view.Ident+"Condition"] = true, true
		v.Types = append(v.Types, view)
	}
	for i := range v.Types {
		v.calls(&v.Types[i], scope, byName)
	}
	for i := range k.Facts {
		f := factView{KindFact: &k.Facts[i], Ident: members.unique(ident(k.Facts[i].Reason))}
		for _, on := range k.Facts[i].Cells {
			if at := slices.IndexFunc(v.Types, func(t typeView) bool { return t.Name == on.Type && !t.Computed && !t.Foreign }); at >= 0 {
				t := &v.Types[at]
				cell := slices.IndexFunc(t.Calls, func(c callView) bool { return c.Name == on.Reason && c.Status == on.Status })
				f.Cells = append(f.Cells, factCell{t, &t.Calls[cell]})
			}
		}
		v.Facts = append(v.Facts, f)
	}
	return v
}

// from returns the merge that a catalog declares for a type.
func from(at int, d *catalog.Derive) string {
	option := func(name string, value any) string {
		if reflect.ValueOf(value).IsZero() {
			return ""
		}
		return fmt.Sprintf(", %s: %#v", name, value)
	}
	options := func(missing string) string {
		return fmt.Sprintf("rollup.Options{Dialect: Kind.Dialect, Target: Kind.Types[%d]", at) + option("Missing", missing)
	}
	switch {
	case len(d.Rules) > 0: // expressions over other objects
	case d.Mirror != nil:
		return "rollup.Mirror(input, " + options(d.Mirror.Missing) + "})"
	case d.Aggregate != nil && len(d.Aggregate.Tolerate) == 0:
		a := d.Aggregate
		return "rollup.Aggregate(inputs, " + options(a.Missing) + option("Counter", a.Counter) + "})"
	}
	return ""
}

// calls enters the cells of a type.
func (v *kindView) calls(t *typeView, scope names, byName map[string]int) {
	statuses := map[string]int{}
	for _, r := range t.Reasons {
		statuses[r.Name]++
	}
	t.Progresses = slices.ContainsFunc(t.Reasons, func(r conditions.Reason) bool {
		return r.Deadline != nil && r.Deadline.Since == conditions.SinceProgress
	})
	t.Waits = v.Kind.Declaration.StatusWaits && slices.ContainsFunc(t.Reasons, func(r conditions.Reason) bool {
		return r.Deadline != nil || r.Hold > 0
	})
	if len(t.Reasons) > 1 && !t.Computed && !t.Foreign {
		t.ReasonType = scope.unique(t.Ident + "Reason")
	}
	calls := names{"Merged": t.Derived, "From": t.From != "", "Progress": t.Progresses, "WaitFor": t.Waits, "WaitSince": t.Waits,
		"Absent": t.Leaves, "Because": t.ReasonType != ""}
	for _, r := range t.Reasons {
		call := callView{Reason: r, Ident: ident(r.Name), Method: v.Kind.HasOwn(t.Name, r.Name, r.Status)}
		switch {
		case r.Name == "":
			call.Ident = string(r.Status)
		case statuses[r.Name] > 1:
			call.Ident += string(r.Status)
		}
		call.Ident = calls.unique(call.Ident)
		if r.Name != "" {
			at, known := byName[r.Name]
			if !known {
				at = len(v.Reasons)
				byName[r.Name] = at
				v.Reasons = append(v.Reasons, constView{Ident: scope.unique("Reason" + ident(r.Name)), Name: r.Name})
			}
			call.Const = v.Reasons[at].Ident
		}
		if t.ReasonType != "" {
			call.Value = scope.unique(t.Ident + call.Ident)
		}
		t.Calls = append(t.Calls, call)
	}
}

// formats reports whether a call formats a text: the message of the catalog has a place for one, or the catalog has no
// message and the class is one of a failure.
func formats(message string, class conditions.Class) bool {
	if message == "" {
		return class == conditions.ClassTransient || class == conditions.ClassTerminal
	}
	return strings.Contains(strings.ReplaceAll(message, "%%", ""), "%s")
}

// ofKstatus reports whether a commit computes the type from the classes of the others, as in dialect kstatus.
func ofKstatus(k *catalog.Kind, t conditions.Type) bool {
	return k.Dialect == conditions.DialectKstatus && !t.Foreign && (t.Name == conditions.TypeReconciling || t.Name == conditions.TypeStalled)
}

// names are identifiers in use.
type names map[string]bool

// unique takes the identifier, with a number where it is in use: types a-b and a_b are both AB.
func (n names) unique(ident string) string {
	out := ident
	for i := 2; n[out]; i++ {
		out = fmt.Sprintf("%s%d", ident, i)
	}
	n[out] = true
	return out
}

// PackageName is the Go package of a kind: its name in lower case, with "conditions" behind it where that is a word of Go.
func PackageName(k *catalog.Kind) string {
	name := strings.ToLower(ident(k.For.Kind))
	if token.IsKeyword(name) {
		name += "conditions"
	}
	return name
}

// ident makes an exported Go identifier of a type or reason: separators go, the letter behind one is upper case.
func ident(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	var b strings.Builder
	upper := true
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			upper = true
		case upper:
			b.WriteRune(unicode.ToUpper(r))
			upper = false
		default:
			b.WriteRune(r)
		}
	}
	out := b.String()
	if out == "" || unicode.IsDigit(rune(out[0])) {
		out = "X" + out
	}
	return out
}

// wrap breaks text into lines of at most 110 characters.
func wrap(text string) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > 110 {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
