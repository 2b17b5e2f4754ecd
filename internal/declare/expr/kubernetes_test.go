// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"fmt"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apiserver/pkg/cel/library"
)

// TestKubernetesLibrary: each function compiles, fails and returns as that of the API server does.
func TestKubernetesLibrary(t *testing.T) {
	env := func(own ...cel.EnvOption) *cel.Env {
		e, err := cel.NewEnv(append(own, cel.OptionalTypes(), ext.Strings(ext.StringsVersion(2)), ext.Lists(ext.ListsVersion(2)),
			cel.Variable("any", cel.DynType))...)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	ours := env(cel.Lib(kubernetesLibrary{}))
	theirs := env(library.Lists(), library.Regex(), library.URLs(), library.Quantity(), library.SemverLib())
	values := []any{nil, "a", "1.5", 7, []any{2, 1}, []any{"x", "a"}, []any{}, map[string]any{"a": 1}}
	results := func(e *cel.Env, expression string) (out []string, compiles bool) {
		ast, issues := e.Compile(expression)
		if issues.Err() != nil {
			return []string{issues.Err().Error()}, false
		}
		program, err := e.Program(ast, cel.EvalOptions(cel.OptOptimize))
		if err != nil {
			return []string{"no program: " + err.Error()}, false
		}
		for _, value := range values {
			result, _, err := program.Eval(map[string]any{"any": value})
			switch {
			case err != nil:
				out = append(out, fmt.Sprint(value, " error: ", err))
			default:
				out = append(out, fmt.Sprint(value, " ", ast.OutputType(), " ", result.Type(), " ", result.Value()))
			}
		}
		return out, true
	}
	lists := []string{"[]", "[1]", "[3, 1, 2, 1]", "[1u, 2u]", "[1.5, 0.5]", "[true, false]", "['b', 'a']", "[b'x', b'y']",
		"[duration('1s'), duration('2m')]",
		"[timestamp('2026-01-01T00:00:00Z')]", "any", "[1, 'a']", "['1', 2.0]", "[[1]]", "[null]", "1"}
	texts := []string{"''", "'1'", "'1.5'", "'10Mi'", "'-3'", "'x'", "'9223372036854775808'", "'1.2.3'", "'v1.2.3'", "'v01.02'", "'1'",
		"'1.2-rc'", "'00.0.x'", "'1.2.3-rc.1+b'", "''",
		"'https://user@host:8080/a%20b/c?q=1&q=2&r=#part'", "'/path?x'", "'no url'", "any", "1"}
	var all []string
	for _, list := range lists {
		for _, call := range []string{"isSorted()", "sum()", "min()", "max()", "indexOf(1)", "lastIndexOf(1)", "indexOf('a')", "indexOf(any)"} {
			all = append(all, list+"."+call)
		}
	}
	for _, text := range texts {
		for _, f := range []string{"url(%s)", "isURL(%s)", "quantity(%s)", "isQuantity(%s)", "semver(%s)", "isSemver(%s)", "semver(%s, true)",
			"isSemver(any)",
			"%s.find('[0-9]+')", "%s.findAll('[0-9]')", "%s.findAll('[0-9]', 1)", "%s.findAll('[0-9]', any)", "'a1b22'.find(%s)",
			"'a1b22'.findAll(%s)", "'a(1'.find('(' + %s)"} {
			all = append(all, fmt.Sprintf(f, text))
		}
		for _, f := range []string{"getScheme()", "getHost()", "getHostname()", "getPort()", "getEscapedPath()", "getQuery()"} {
			all = append(all, "url("+text+")."+f)
		}
		for _, f := range []string{"asApproximateFloat()", "asInteger()", "isInteger()", "add(1)", "sub(1)", "add(any)"} {
			all = append(all, "quantity("+text+")."+f)
		}
		all = append(all, "sign(quantity("+text+"))")
		for _, f := range []string{"major()", "minor()", "patch()"} {
			all = append(all, "semver("+text+")."+f)
		}
		for _, f := range []string{"compareTo", "isLessThan", "isGreaterThan", "add", "sub"} {
			for _, other := range []string{"'2'", "'1.5'", text} {
				all = append(all, fmt.Sprintf("quantity(%s).%s(quantity(%s))", text, f, other), fmt.Sprintf("semver(%s).%s(semver(%s))", text, f,
					other))
			}
		}
	}
	all = append(all, "quantity('1') == quantity('1000m')", "quantity('1').add(quantity('1')) == quantity('2')",
		"semver('1.0.0') == semver('1.0.0')", "url('/a') == url('/a')",
		"quantity('1').compareTo(semver('1.0.0'))", "any.compareTo(any)", "any.getHost()", "any.major()", "'a(b'.find('(')")
	compiled := 0
	for _, expression := range all {
		want, compiles := results(theirs, expression)
		got, _ := results(ours, expression)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -API server +ours\n%s", expression, diff)
		}
		if compiles {
			compiled++
		}
	}
	if compiled < 500 {
		t.Errorf("only %d of the expressions compile", compiled)
	}
}
