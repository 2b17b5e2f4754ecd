// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestExamples: an example that runs uses each exported name.
func TestExamples(t *testing.T) {
	for _, folder := range []string{".", "rollup", "wire"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		set, used := token.NewFileSet(), map[string]bool{}
		var parsed []*ast.File
		for _, file := range files {
			f, err := parser.ParseFile(set, file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case strings.HasPrefix(filepath.Base(file), "example_"):
				ast.Inspect(f, func(n ast.Node) bool {
					if s, ok := n.(*ast.SelectorExpr); ok {
						used[s.Sel.Name] = true
					}
					return true
				})
			case !strings.HasSuffix(file, "_test.go"):
				parsed = append(parsed, f)
			}
		}
		p, err := doc.NewFromFiles(set, parsed, folder)
		if err != nil {
			t.Fatal(err)
		}
		check := func(name string) {
			if ast.IsExported(name) && !used[name] {
				t.Errorf("%s: no example uses %s", folder, name)
			}
		}
		values := func(list []*doc.Value) {
			for _, v := range list {
				for _, name := range v.Names {
					check(name)
				}
			}
		}
		functions := func(list []*doc.Func) {
			for _, f := range list {
				check(f.Name)
			}
		}
		values(p.Consts)
		values(p.Vars)
		functions(p.Funcs)
		for _, typ := range p.Types {
			if len(typ.Consts)+len(typ.Methods) == 0 { // otherwise its constants and methods are used
				check(typ.Name)
			}
			values(typ.Consts)
			values(typ.Vars)
			functions(typ.Funcs)
			functions(typ.Methods)
		}
	}
}
