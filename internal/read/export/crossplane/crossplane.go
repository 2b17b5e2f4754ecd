// SPDX-License-Identifier: Apache-2.0

package crossplane

import (
	"fmt"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/read/export"
	"github.com/tristate/tristate/internal/read/export/flux"
)

// lacks are functions that Flux has and the function has not.
var lacks = []string{"lowerAscii", "join", "split", "optMap", "optFlatMap"}

// stale writes whether the status is about another generation, which some controllers write as a text.
const stale = `has(object.metadata.generation) && has(object.status) && has(object.status.observedGeneration) && ` +
	`string(object.status.observedGeneration) != string(object.metadata.generation)`

// Check returns the expression about the kind of a catalog, with what it cannot express.
func Check(s *export.Subject, k *catalog.Kind) (string, []export.Difference, error) {
	source, list, roots, differences, err := flux.Current(s, k, lacks...)
	if err != nil {
		return "", nil, err
	}
	if source, err = lower(source, list, roots); err != nil {
		return "", nil, fmt.Errorf("%s: %w", s.Name(), err)
	}
	source = "!(" + stale + ") && (" + source + ")"
	if err := compile(source); err != nil {
		return "", nil, fmt.Errorf("%s: the expression for function-auto-ready does not compile: %w", s.Name(), err)
	}
	differences = slices.DeleteFunc(differences, func(d export.Difference) bool { return d.ID == flux.AbsentField })
	for i := range differences {
		if differences[i].ID == flux.TypeError {
			differences[i].Why = "a field of another type than expected can be an error, and the condition Ready counts in place of the check"
		}
	}
	return source, export.SortDifferences(differences), nil
}

// compile compiles an expression as the function does.
func compile(source string) error {
	env, err := cel.NewEnv(cel.Variable("object", cel.AnyType))
	if err != nil {
		return err
	}
	return flux.Compile(env, source)
}

// Generate returns the input of the function with a check for each version of kinds; versions are those of kinds whose catalogs name none.
func Generate(subjects []*export.Subject, versions []string) (*export.Product, error) {
	p := &export.Product{Notes: []string{"function-auto-ready reads these checks where it is started with " +
		"--feature-gates=CELHealthcheckCustomizations=true"}}
	checks := map[string]string{}
	for _, s := range subjects {
		known, err := s.AllVersions(versions)
		if err != nil {
			return nil, err
		}
		for _, version := range known {
			k := s.Kind(version)
			if k == nil {
				continue
			}
			source, differences, err := Check(s, k)
			if err != nil {
				return nil, err
			}
			checks[s.For.Group+"_"+version+"_"+s.For.Kind] = source
			p.Differences = append(p.Differences, differences...)
		}
	}
	if len(checks) == 0 {
		return nil, fmt.Errorf("no catalog of these kinds is about a version of %v", versions)
	}
	p.Differences = export.SortDifferences(p.Differences)
	return p, p.Add("crossplane", "auto-ready-input.yaml", map[string]any{"apiVersion": "autoready.fn.crossplane.io/v1beta1",
		"kind": "Input", "celHealthCheckCustomization": checks})
}
