// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/english"
)

// constantOf is a constant of a condition type or a reason.
type constantOf struct {
	name, value, doc string
	line             int
	reason           bool
}

var (
	saysType   = regexp.MustCompile(`Condition(Type)?|^Type[A-Z]`)
	saysReason = regexp.MustCompile(`Reason`)
	strip      = regexp.MustCompile(`ConditionType|Condition|ConditionReason|Reason|V1Beta[12]|Type`)
)

// Go reads a Go file: the conditions that it writes as literals, as for meta.SetStatusCondition, and its constants: those whose type or
// name marks them as condition types or reasons. A reason belongs to the type that its name begins with, else to the last type above it; a
// type to the kind that its name begins with, else to the next kind of the options. The file is not compiled: a constant that is not a
// string, or the sum of strings, is passed over.
func (d *Draft) Go(file string, source []byte) error {
	if len(source) > MaxBytes {
		return fmt.Errorf("%s: %d bytes, more than %d", file, len(source), MaxBytes)
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	written := d.literals(d.literalsOf(parsed))
	d.constants(file, slices.DeleteFunc(constantsOf(set, parsed), func(c constantOf) bool { return c.reason && written[c.value] }))
	return nil
}

// constantsOf finds the constants in the order of the file.
func constantsOf(set *token.FileSet, file *ast.File) []constantOf {
	var out []constantOf
	for _, declaration := range file.Decls {
		general, ok := declaration.(*ast.GenDecl)
		if !ok || general.Tok != token.CONST {
			continue
		}
		for _, spec := range general.Specs {
			value := spec.(*ast.ValueSpec)
			typeName := ""
			switch t := value.Type.(type) {
			case *ast.Ident:
				typeName = t.Name
			case *ast.SelectorExpr:
				typeName = t.Sel.Name
			}
			for i, n := range value.Names {
				if i >= len(value.Values) {
					break
				}
				text, ok := stringOf(value.Values[i], 0)
				c := constantOf{name: n.Name, value: text, line: set.Position(n.Pos()).Line}
				c.reason = saysReason.MatchString(typeName) || saysReason.MatchString(n.Name) && !strings.HasSuffix(typeName, "Type")
				isType := strings.HasSuffix(typeName, "ConditionType") || !c.reason && saysType.MatchString(n.Name) &&
					!strings.HasSuffix(typeName, "Status")
				if !ok || !c.reason && !isType || strings.Contains(n.Name, "Severity") {
					continue
				}
				doc := value.Doc
				if doc == nil {
					doc = value.Comment
				}
				if doc == nil && len(general.Specs) == 1 {
					doc = general.Doc
				}
				c.doc = strings.TrimSpace(doc.Text())
				out = append(out, c)
			}
		}
	}
	return out
}

// stringOf returns the value of a literal, of a sum of literals and of a conversion of one.
func stringOf(e ast.Expr, depth int) (string, bool) {
	if depth > 50 {
		return "", false
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); e.Kind == token.STRING && err == nil {
			return text, true
		}
	case *ast.ParenExpr:
		return stringOf(e.X, depth+1)
	case *ast.CallExpr:
		if len(e.Args) == 1 {
			return stringOf(e.Args[0], depth+1)
		}
	case *ast.BinaryExpr:
		a, ok := stringOf(e.X, depth+1)
		b, also := stringOf(e.Y, depth+1)
		if ok && also && e.Op == token.ADD {
			return a + b, true
		}
	}
	return "", false
}

// placed is a type with the words of its constant.
type placed struct {
	stem []string
	c    *condition
}

func (d *Draft) constants(file string, all []constantOf) {
	stem := func(n string) []string { return english.Words(strip.ReplaceAllString(n, "")) }
	var types []placed
	var rest *kind
	for _, c := range all {
		if c.reason || !wire.ValidType(c.value) {
			continue
		}
		k := d.kindOfConstant(c, &rest)
		if k == nil {
			continue
		}
		t := k.condition(d, c.value)
		if t == nil {
			continue
		}
		if t.open == "" {
			t.open = "The source does not say on which types a reason is used: read an unknown one by the status alone."
		}
		if t.meaning == "" {
			t.meaning = sentence(withoutName(c))
		}
		if right := nearSuffix(c.value); right != "" {
			t.notes = append(t.notes, "the ending looks misspelt: "+right)
		}
		types = append(types, placed{stem(c.name), t})
	}
	var last *placed
	for _, c := range all {
		if !c.reason {
			for i := range types {
				if types[i].c.name == c.value {
					last = &types[i]
				}
			}
			continue
		}
		if !wire.ValidReason(c.value) {
			d.skip("%s:%d: %s is %.80q, which is no reason", file, c.line, c.name, c.value)
			continue
		}
		to, guessed := last, true
		longest := 0
		for i := range types {
			for _, begin := range [][]string{types[i].stem, english.Words(types[i].c.name)} { // with the kind, and without it
				if n := len(begin); n > longest && n < len(stem(c.name)) && slices.Equal(begin, stem(c.name)[:n]) {
					to, guessed, longest = &types[i], false, n
				}
			}
		}
		if to == nil {
			d.skip("%s:%d: reason %s: no condition type comes before it", file, c.line, c.value)
			continue
		}
		one := to.c.cell(d, c.value, "")
		if one == nil {
			continue
		}
		if one.meaning == "" {
			one.meaning = sentence(withoutName(c))
		}
		if guessed {
			one.note("guessed: the last type above %s", c.name)
		}
	}
}

// kindOfConstant returns the kind with which the name of a constant begins, as InstanceConditionTypeReady.
func (d *Draft) kindOfConstant(c constantOf, rest **kind) *kind {
	for _, option := range d.options.Kinds {
		n, _, _ := strings.Cut(option, ".")
		if strings.HasPrefix(c.name, n) {
			return d.kind("", option)
		}
	}
	if i := strings.Index(c.name, "ConditionType"); i > 0 && strings.ToUpper(c.name[:1]) == c.name[:1] {
		k := d.kind("", c.name[:i])
		if k != nil && len(k.types) == 0 {
			k.notes = append(k.notes, "guessed from the name of "+c.name)
		}
		return k
	}
	if *rest == nil {
		*rest = d.nextKind()
	}
	return *rest
}

// withoutName returns the comment of a constant without the name at its beginning.
func withoutName(c constantOf) string {
	doc, _, _ := strings.Cut(c.doc, "\n\n")
	doc = strings.TrimPrefix(doc, c.name+" ")
	for _, verb := range []string{"is ", "means ", "indicates ", "represents ", "documents ", "("} {
		if rest, ok := strings.CutPrefix(doc, verb); ok && verb != "(" {
			return strings.TrimPrefix(rest, "that ")
		}
	}
	return doc
}
