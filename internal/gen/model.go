// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
	"unicode"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/catalog"
)

// typeView is the part of a type that templates need.
type typeView struct {
	conditions.Type
	Ident    string // exported identifier
	Derived  bool   // comes from other objects: takes a merged condition instead of cells
	Computed bool   // the library computes it at commit
	Calls    []callView
	// Progresses: a deadline counts since the last progress.
	Progresses bool
}

// callView is one declared cell.
type callView struct {
	conditions.Reason
	Ident string // of the method, unique in its type
	Const string // of the reason constant; empty for a bare cell
}

// constView is one reason constant; a reason that stands on several types has one.
type constView struct {
	Ident, Name string
	On          []string // Type=Status: meaning
}

type kindView struct {
	Kind    *catalog.Kind
	Package string
	Types   []typeView
	Reasons []constView
}

func viewOf(k *catalog.Kind, pkg string) kindView {
	v := kindView{Kind: k, Package: pkg}
	types := names{"Commit": true, "Untyped": true} // the methods of Pass
	consts := names{}
	byName := map[string]int{}
	for i, t := range k.Declaration.Types {
		view := typeView{Type: t, Ident: types.unique(ident(t.Name))}
		view.Computed = t.Summary != nil || ofKstatus(k, t)
		if d := k.Source.Spec.Conditions[i].Derive; d != nil {
			view.Computed = view.Computed || d.Summary != nil
			view.Derived = d.Mirror != nil || d.Aggregate != nil
		}
		statuses := map[string]int{}
		for _, r := range t.Reasons {
			statuses[r.Name]++
		}
		view.Progresses = slices.ContainsFunc(t.Reasons, func(r conditions.Reason) bool {
			return r.Deadline != nil && r.Deadline.Since == conditions.SinceProgress
		})
		calls := names{"Merged": view.Derived, "Progress": view.Progresses}
		for _, r := range t.Reasons {
			call := callView{Reason: r, Ident: ident(r.Name)}
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
					v.Reasons = append(v.Reasons, constView{Ident: consts.unique("Reason" + ident(r.Name)), Name: r.Name})
				}
				call.Const = v.Reasons[at].Ident
				v.Reasons[at].On = append(v.Reasons[at].On, fmt.Sprintf("%s=%s: %s", t.Name, r.Status, r.Meaning))
			}
			view.Calls = append(view.Calls, call)
		}
		v.Types = append(v.Types, view)
	}
	return v
}

// ofKstatus reports whether a commit computes the type from the classes of the others, as in dialect kstatus.
func ofKstatus(k *catalog.Kind, t conditions.Type) bool {
	return k.Dialect == conditions.Kstatus && !t.Foreign && (t.Name == conditions.TypeReconciling || t.Name == conditions.TypeStalled)
}

// names are identifiers that are taken.
type names map[string]bool

// unique takes the identifier, with a number where it is taken: types a-b and a_b are both AB.
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

// wrap breaks text into lines of at most width characters.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
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
