// SPDX-License-Identifier: Apache-2.0

package exportcheck

import (
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
	"go.yaml.in/yaml/v3"
)

// rule is one rule of Prometheus.
type rule struct {
	name  string // of the alert, or of the recorded metric
	alert bool
	query *query
	at    catalog.Position
}

// rulesOf reads the rules of all exports: groups of a file, or of a PrometheusRule. Expressions that are none of PromQL are left out; Prometheus
// refuses them itself.
func rulesOf(p *check.Pass) []rule {
	var out []rule
	for _, e := range p.Exports {
		if e.Kind != evidence.Rules {
			continue
		}
		root := read(e)
		groups := field(root, "groups")
		if groups == nil {
			groups = field(field(root, "spec"), "groups")
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
				q, err := parseQuery(expr.Value)
				if err != nil {
					continue
				}
				r.query = q
				out = append(out, r)
			}
		}
	}
	return out
}

// read is the content of an export as YAML; nil where it is none.
func read(e *evidence.Export) *yaml.Node {
	var root yaml.Node
	if yaml.Unmarshal(e.Data, &root) != nil || len(root.Content) == 0 {
		return nil
	}
	return root.Content[0]
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
