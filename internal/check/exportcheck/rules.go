// SPDX-License-Identifier: Apache-2.0

package exportcheck

import (
	"github.com/tristate/tristate/internal/catalog"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
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

// rulesOf reads the rules of all exports: groups of a file, or of a PrometheusRule.
func rulesOf(p *check.Pass) []rule {
	var out []rule
	for _, e := range p.Exports {
		if e.Kind != evidence.Rules {
			continue
		}
		groups := field(e.Root, "groups")
		if groups == nil {
			groups = field(field(e.Root, "spec"), "groups")
		}
		for _, group := range items(groups) {
			for _, one := range items(field(group, "rules")) {
				expr := field(one, "expr")
				if expr == nil {
					continue
				}
				r := rule{at: catalog.Position{File: e.File, Line: e.Line - 1 + expr.Line, Column: expr.Column}}
				if name := field(one, "alert"); name != nil {
					r.name, r.alert = name.Value, true
				} else if name := field(one, "record"); name != nil {
					r.name = name.Value
				}
				r.query, r.err = parseQuery(expr.Value)
				out = append(out, r)
			}
		}
	}
	return out
}

// field is a value of a mapping; nil without one. Aliases are not followed.
func field(n *yaml.Node, name string) *yaml.Node {
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

func items(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// words are the texts of a list of scalars.
func words(n *yaml.Node) []string {
	var out []string
	for _, item := range items(n) {
		out = append(out, item.Value)
	}
	return out
}
