// SPDX-License-Identifier: Apache-2.0

package derive

import (
	"fmt"

	"github.com/google/cel-go/common/types/ref"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
)

// gate is a condition that the object's spec adds to a summary.
type gate struct {
	Type     string
	Polarity conditions.Polarity
}

// gates returns the conditions that the object's spec adds to a summary.
func (d *deriver) gates(v *catalog.Derivation) []gate {
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
	var out []gate
	for _, entry := range elements(value) {
		name, polarity := gateOf(entry)
		if name == "" {
			d.problems = append(d.problems, Problem{v.Type.Name, fmt.Sprintf("gates %q: an entry is neither a type nor an object with conditionType",
				v.Gates.Source)})
			continue
		}
		out = append(out, gate{name, polarity})
	}
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
