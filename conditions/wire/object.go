// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/internal/dialect"
)

// FromObject reads the conditions of a decoded object from status.conditions. In dialect capi-v1beta2
// status.v1beta2.conditions comes first, and a condition without a reason gets NoReasonReported, as the library sets
// it before it mirrors a condition. FromObject never panics, and returns the conditions that can be read with an
// error for each fault.
func FromObject(object map[string]any, d conditions.Dialect) ([]conditions.Condition, []error) {
	rules := dialect.Rules(string(d))
	var errs []error
	for _, path := range append(slices.Clip(rules.Lists), "status.conditions") {
		raw, err := listAt(object, path)
		if err != nil {
			errs = append(errs, err)
		}
		if raw == nil {
			continue
		}
		if rules.Severities == nil {
			raw = withoutSeverity(raw)
		}
		read, faults := FromUnstructured(raw)
		for i := range read {
			read[i].Reason = cmp.Or(read[i].Reason, rules.NoReason)
		}
		kind, _ := object["kind"].(string)
		for _, fault := range faults {
			fault.(*EntryError).Kind, fault.(*EntryError).List = kind, path
		}
		return read, append(errs, faults...)
	}
	return nil, errs
}

// listAt returns the list at a path of names; nil without one.
func listAt(object map[string]any, path string) ([]any, error) {
	var v any = object
	for name := range strings.SplitSeq(path, ".") {
		m, ok := v.(map[string]any)
		if !ok && v != nil {
			return nil, fmt.Errorf("%s: %s is a field of %s, not of an object", path, name, kindOf(v))
		}
		v = m[name]
	}
	list, ok := v.([]any)
	if !ok && v != nil {
		return nil, fmt.Errorf("%s: is %s, not a list", path, kindOf(v))
	}
	return list, nil
}

// withoutSeverity returns the entries without a field that the dialect does not have.
func withoutSeverity(list []any) []any {
	out := slices.Clone(list)
	for i, entry := range out {
		if m, ok := entry.(map[string]any); ok && m["severity"] != nil {
			m = maps.Clone(m)
			delete(m, "severity")
			out[i] = m
		}
	}
	return out
}
