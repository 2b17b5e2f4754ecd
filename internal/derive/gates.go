// SPDX-License-Identifier: Apache-2.0

package derive

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/google/cel-go/common/types/ref"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/expr"
)

// gates are the inputs that the object's spec adds to a summary, by name. A declared type has its declared polarity; one that
// the summary has already counts once.
func (d *deriver) gates(v *catalog.Derivation) []conditions.Input {
	if v.Gates == nil {
		return nil
	}
	value, err := v.Gates.Eval(&d.context, expr.Values{Self: d.in.Self.Content, Variables: d.values.Variables})
	if err != nil {
		if !expr.IsMissing(err) {
			d.problems = append(d.problems, Problem{v.Type.Name, fmt.Sprintf("gates %q: %v", v.Gates.Source, err)})
		}
		return nil
	}
	var out []conditions.Input
	for _, entry := range elements(value) {
		name, polarity := gateOf(entry)
		if name == "" {
			d.problems = append(d.problems, Problem{v.Type.Name, fmt.Sprintf("gates %q: an entry is neither a type nor an object with conditionType", v.Gates.Source)})
			continue
		}
		in := conditions.Input{Type: d.in.Kind.Canonical(name), Polarity: polarity}
		if t := d.in.Kind.Type(in.Type); t != nil {
			in.Polarity = t.Polarity
		}
		twice := func(other conditions.Input) bool { return other.Type == in.Type }
		if slices.Contains(v.Of, in.Type) || in.Type == v.Type.Name || slices.ContainsFunc(out, twice) {
			continue
		}
		in.Condition = d.reported[in.Type]
		if !d.in.Kind.Derives(in.Type) {
			in.Stale = stale(in.Condition, d.in.Self)
		}
		out = append(out, in)
	}
	slices.SortFunc(out, func(a, b conditions.Input) int { return cmp.Compare(a.Type, b.Type) })
	return out
}

// gateOf reads a type, or an object with conditionType and polarity.
func gateOf(entry any) (string, conditions.Polarity) {
	if v, ok := entry.(ref.Val); ok {
		entry = v.Value()
	}
	polarity := func(given any) conditions.Polarity {
		if given == string(conditions.Negative) || given == "Negative" { // Cluster API writes it with a capital
			return conditions.Negative
		}
		return conditions.Positive
	}
	switch e := entry.(type) {
	case string:
		return e, conditions.Positive
	case map[string]any:
		name, _ := e["conditionType"].(string)
		return name, polarity(e["polarity"])
	case map[ref.Val]ref.Val:
		plain := map[string]any{}
		for key, value := range e {
			plain[fmt.Sprint(key.Value())] = value.Value()
		}
		return gateOf(plain)
	}
	return "", ""
}

// elements are those of a list of plain values or of CEL's.
func elements(value any) []any {
	switch list := value.(type) {
	case []any:
		return list
	case []ref.Val:
		out := make([]any, len(list))
		for i, v := range list {
			out[i] = v
		}
		return out
	}
	return nil
}
