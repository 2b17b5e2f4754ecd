// SPDX-License-Identifier: Apache-2.0

package exportcheck

import (
	"cmp"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/declare/catalog"
	"go.yaml.in/yaml/v3"
)

// rule is one rule of Prometheus.
type rule struct {
	name  string // of the alert, or of the recorded metric
	alert bool
	query *query // nil with err
	err   error
	at    catalog.Position
}

// groups are the rules of a file, or of the spec of a PrometheusRule.
type groups struct {
	Groups []struct {
		Rules []struct {
			Alert, Record string
			Expr          yaml.Node // for its place
		}
	}
}

// rulesOf returns the rules of all exports.
func rulesOf(p *check.Pass) []rule {
	var out []rule
	for _, e := range p.Exports {
		if e.Kind != evidence.Rules || e.Root == nil {
			continue
		}
		var file struct {
			groups `yaml:",inline"`
			Spec   groups
		}
		_ = e.Root.Decode(&file) // fields of another type are left out
		for _, group := range append(file.Groups, file.Spec.Groups...) {
			for _, one := range group.Rules {
				if one.Expr.Kind == yaml.ScalarNode {
					q, err := parseQuery(one.Expr.Value)
					out = append(out, rule{cmp.Or(one.Alert, one.Record), one.Alert != "", q, err,
						catalog.Position{File: e.File, Line: e.Line - 1 + one.Expr.Line, Column: one.Expr.Column}})
				}
			}
		}
	}
	return out
}
