// SPDX-License-Identifier: Apache-2.0

package expr

import "github.com/google/cel-go/common/ast"

// Stored returns the words that an expression looks for in the list self.status.conditions, without condition(): the text constants in the
// loop over its entries, as 'Ready' in self.status.conditions.exists(c, c.type == 'Ready').
func (p *Program) Stored() []string {
	var out []string
	ast.PreOrderVisit(p.Root(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.ComprehensionKind || !storedList(e.AsComprehension().IterRange()) {
			return
		}
		ast.PreOrderVisit(e.AsComprehension().LoopStep(), ast.NewExprVisitor(func(e ast.Expr) {
			if text, ok := literal(e); ok {
				out = append(out, text)
			}
		}))
	}))
	return out
}

// storedList reports whether an expression is self.status.conditions, or a selection of it by a macro.
func storedList(e ast.Expr) bool {
	switch e.Kind() {
	case ast.ComprehensionKind: // filter and map
		return storedList(e.AsComprehension().IterRange())
	case ast.SelectKind:
		of := e.AsSelect().Operand()
		return e.AsSelect().FieldName() == "conditions" && of.Kind() == ast.SelectKind && of.AsSelect().FieldName() == "status" &&
			of.AsSelect().Operand().Kind() == ast.IdentKind && of.AsSelect().Operand().AsIdent() == "self"
	}
	return false
}
