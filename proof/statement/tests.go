// SPDX-License-Identifier: Apache-2.0

package statement

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Tests looks up tests in the source of the repository. The zero value with a Root is ready to use; packages are parsed once.
type Tests struct {
	Root     fs.FS
	packages map[string]*tests
}

// tests holds the tests of one package: functions by name, and the literals that can be names of subtests.
type tests struct {
	functions map[string]*ast.FuncDecl
	literals  map[string]bool
}

// runners are the tests that run the scripts of a folder. * matches one name.
var runners = []struct{ folder, test string }{
	{"systems/*/stories", "proof/story.TestStories"},
	{"internal/check/*/doc", "internal/check/*.TestExamples"},
	{"internal/cli/testdata/script", "internal/cli.TestScripts"},
}

// Check returns an error if a test that a record names does not exist or is always skipped:
//
//   - FOLDER.TestName is a function of a test file in the folder. Each further part of its name, after a slash, is a string literal of
//     these files, as the names of subtests are; blanks may be written as underscores.
//   - NAME.txtar is a file of a folder whose scripts a test runs, and that test is checked as well.
//
// A function is always skipped if a statement of its outermost block calls Skip, Skipf or SkipNow; a script, if one of its lines is a skip
// without a condition.
func (t *Tests) Check(name string) error {
	if strings.HasSuffix(name, ".txtar") {
		return t.script(name)
	}
	dot := strings.IndexByte(name, '.')
	if dot < 0 {
		return fmt.Errorf("test %q is neither FOLDER.TestName nor the path of a script", name)
	}
	folder, parts := name[:dot], strings.Split(name[dot+1:], "/")
	in, err := t.read(folder)
	if err != nil {
		return err
	}
	f := in.functions[parts[0]]
	if f == nil {
		return fmt.Errorf("test %s: no test file of %s has a function %s", name, folder, parts[0])
	}
	if skips(f) {
		return fmt.Errorf("test %s is always skipped", name)
	}
	for _, p := range parts[1:] {
		if !in.literals[strings.ReplaceAll(p, "_", " ")] {
			return fmt.Errorf("test %s: no test file of %s has a subtest %q", name, folder, p)
		}
	}
	return nil
}

func (t *Tests) script(name string) error {
	data, err := fs.ReadFile(t.Root, name)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "skip" || strings.HasPrefix(line, "skip ") {
			return fmt.Errorf("script %s is always skipped", name)
		}
		if strings.HasPrefix(line, "-- ") {
			break // files follow
		}
	}
	for _, r := range runners {
		if ok, _ := path.Match(r.folder, path.Dir(name)); ok {
			return t.Check(strings.Replace(r.test, "*", path.Base(path.Dir(path.Dir(name))), 1))
		}
	}
	return fmt.Errorf("script %s is in no folder whose scripts are run", name)
}

// read parses the test files of a folder.
func (t *Tests) read(folder string) (*tests, error) {
	if in := t.packages[folder]; in != nil {
		return in, nil
	}
	files, err := fs.Glob(t.Root, path.Join(folder, "*_test.go"))
	if err != nil {
		return nil, err
	}
	in := &tests{functions: map[string]*ast.FuncDecl{}, literals: map[string]bool{}}
	for _, file := range files {
		data, err := fs.ReadFile(t.Root, file)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, data, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				in.functions[fn.Name.Name] = fn
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					in.literals[strings.ReplaceAll(text, "_", " ")] = true
				}
			}
			return true
		})
	}
	if t.packages == nil {
		t.packages = map[string]*tests{}
	}
	t.packages[folder] = in
	return in, nil
}

// skips returns true if a call in the outermost block of a test skips it.
func skips(f *ast.FuncDecl) bool {
	return f.Body != nil && slices.ContainsFunc(f.Body.List, func(s ast.Stmt) bool {
		e, ok := s.(*ast.ExprStmt)
		if !ok {
			return false
		}
		call, ok := e.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		return ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name)
	})
}
