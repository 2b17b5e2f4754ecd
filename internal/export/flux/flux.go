// SPDX-License-Identifier: Apache-2.0

package flux

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
	"github.com/tristate/tristate/internal/export"
)

// A Check is an entry of spec.healthCheckExprs.
type Check struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	InProgress string `json:"inProgress"`
	Failed     string `json:"failed"`
	Current    string `json:"current"`
}

// CheckOf returns the check of a kind, with what it cannot express. Flux matches group and kind and takes the first entry, so the catalogs
// of several versions become one expression.
func CheckOf(s *export.Subject) (*Check, []export.Difference, error) {
	c := &Check{Kind: s.For.Kind}
	var differences []export.Difference
	roots := map[string]bool{}
	questions := map[string]*string{"InProgress": &c.InProgress, "Failed": &c.Failed, "Current": &c.Current}
	for i, k := range s.Kinds {
		list, otherwise, some, err := steps(s, k)
		if err != nil {
			return nil, nil, err
		}
		differences = append(differences, some...)
		rootsOf(k, roots)
		if i == 0 {
			c.APIVersion = s.First(k)
		}
		for word, to := range questions {
			text := ask(list, otherwise, word)
			if i < len(s.Kinds)-1 {
				var versions []string
				for _, v := range k.Versions {
					versions = append(versions, s.APIVersion(v))
				}
				text = fmt.Sprintf("apiVersion in [%s] ? (%s) : ", quoted(versions), text)
			}
			*to += text
		}
	}
	if err := check(c.Current, roots); err != nil {
		return nil, nil, fmt.Errorf("%s: the expression for Flux does not compile: %w", s.Name(), err)
	}
	return c, export.SortDifferences(differences), nil
}

// ask writes the question whether the answer is a word.
func ask(list []step, otherwise tail, word string) string {
	out := chain(list, word)
	if otherwise.bind == "" {
		return out + fmt.Sprint(otherwise.word == word)
	}
	return out + fmt.Sprintf("[%s].exists(ll, %sfalse)", otherwise.bind, chain(otherwise.steps, word))
}

// chain writes steps as conditions, each before what follows. Neighbours with one answer are joined.
func chain(list []step, word string) string {
	var out strings.Builder
	for i := 0; i < len(list); {
		answer := list[i].word == word
		var when []string
		for ; i < len(list) && (list[i].word == word) == answer; i++ {
			when = append(when, list[i].when)
		}
		if len(when) > 1 {
			for j := range when {
				when[j] = "(" + when[j] + ")"
			}
		}
		fmt.Fprintf(&out, "%s ? %t : ", strings.Join(when, " || "), answer)
	}
	return out.String()
}

// rootsOf adds the top-level fields that the expressions of a catalog read.
func rootsOf(k *catalog.Kind, to map[string]bool) {
	for _, name := range []string{"apiVersion", "kind", "metadata", "spec", "status", k.Path[0]} {
		to[name] = true
	}
	add := func(p *expr.Program) {
		if p != nil {
			for _, path := range p.Uses().Paths["self"] {
				name, _, _ := strings.Cut(path, ".")
				to[name] = true
			}
		}
	}
	for _, v := range k.Variables {
		add(v.Program)
	}
	for i := range k.Verdicts {
		add(k.Verdicts[i].When)
	}
	for i := range k.Source.Spec.States {
		name, _, _ := strings.Cut(k.Source.Spec.States[i].Path, ".")
		to[name] = true
	}
	delete(to, "")
}

// check compiles an expression, which must return a bool, with the functions of Flux. The top-level fields of an object are
// variables, which Flux does not declare.
func check(source string, roots map[string]bool) error {
	options := []cel.EnvOption{cel.CrossTypeNumericComparisons(true), cel.OptionalTypes(), ext.Strings(), ext.Sets(), ext.Encoders()}
	for name := range roots {
		options = append(options, cel.Variable(name, cel.DynType))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return err
	}
	checked, issues := env.Compile(source)
	if issues.Err() != nil {
		return issues.Err()
	}
	if !checked.OutputType().IsExactType(cel.BoolType) {
		return fmt.Errorf("it returns %s", checked.OutputType())
	}
	return nil
}

// Generate returns the list of checks of kinds.
func Generate(subjects []*export.Subject) (*export.Product, error) {
	p := &export.Product{}
	var checks []*Check
	for _, s := range subjects {
		c, differences, err := CheckOf(s)
		if err != nil {
			return nil, err
		}
		checks = append(checks, c)
		p.Include(s)
		p.Differences = append(p.Differences, differences...)
	}
	p.Notes = append(p.Notes, "add the entries to spec.healthCheckExprs of a Kustomization or a HelmRelease: a patch would replace the list")
	return p, p.Add("flux", "healthcheckexprs.yaml", map[string]any{"spec": map[string]any{"healthCheckExprs": checks}})
}
