// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
)

// written is a condition that the source writes as a literal, as for meta.SetStatusCondition.
type written struct {
	conditionType, status, reason, message string
}

// literalsOf finds the composite literals of a file with the fields Type, Status and Reason, in order. Their values are literals, or
// constants of this file or of one that was read before.
func (d *Draft) literalsOf(file *ast.File) []written {
	if d.values == nil {
		d.values = map[string]string{}
	}
	for _, declaration := range file.Decls {
		general, ok := declaration.(*ast.GenDecl)
		if !ok || general.Tok != token.CONST {
			continue
		}
		for _, spec := range general.Specs {
			value := spec.(*ast.ValueSpec)
			for i, n := range value.Names {
				if i < len(value.Values) {
					if text, ok := stringOf(value.Values[i], 0); ok {
						d.values[n.Name] = text
					}
				}
			}
		}
	}
	var out []written
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		fields := map[string]string{}
		for _, element := range literal.Elts {
			pair, ok := element.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			if key, ok := pair.Key.(*ast.Ident); ok {
				fields[key.Name] = d.valueOf(pair.Value)
			}
		}
		w := written{fields["Type"], statusIn(fields["Status"]), fields["Reason"], fields["Message"]}
		if wire.ValidType(w.conditionType) && w.status != "" && w.reason != "" {
			out = append(out, w)
		}
		return true
	})
	return out
}

// valueOf returns the text of an expression, or the name of a constant that is not known.
func (d *Draft) valueOf(e ast.Expr) string {
	if text, ok := stringOf(e, 0); ok {
		return text
	}
	name := ""
	switch e := e.(type) {
	case *ast.Ident:
		name = e.Name
	case *ast.SelectorExpr:
		name = e.Sel.Name
	case *ast.CallExpr: // a conversion
		if len(e.Args) == 1 {
			return d.valueOf(e.Args[0])
		}
	}
	if text, known := d.values[name]; known {
		return text
	}
	if strings.HasPrefix(name, "Condition") { // of metav1: a status
		return name
	}
	return ""
}

// statusIn returns the status that a constant of metav1 or a text names; empty for any other.
func statusIn(text string) string {
	text = strings.TrimPrefix(text, "Condition")
	if wire.ValidStatus(conditions.Status(text)) {
		return text
	}
	return ""
}

// literals adds the conditions that the source writes as literals to the kind of the draft, and returns their reasons.
func (d *Draft) literals(all []written) map[string]bool {
	reasons := map[string]bool{}
	for _, w := range all {
		k := d.theKind()
		if k == nil {
			return reasons
		}
		c := k.condition(d, w.conditionType)
		if c == nil || !wire.ValidReason(w.reason) {
			continue
		}
		reasons[w.reason] = true
		one := c.cell(d, w.reason, w.status)
		if one != nil && one.meaning == "" && w.message != "" {
			one.meaning = sentence(w.message)
		}
		c.open = "The literals of the source have these reasons: read an unknown one by the status alone."
	}
	return reasons
}
