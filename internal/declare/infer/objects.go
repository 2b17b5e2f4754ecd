// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/nested"
)

// Object reads the conditions of an object, as it is decoded from JSON. Several objects of a kind add up. It reports whether the object
// has any.
func (d *Draft) Object(content map[string]any) bool {
	name := nested.Text(content, "kind")
	apiVersion := nested.Text(content, "apiVersion")
	entries := nested.List(content, "status", "conditions")
	if name == "" || len(entries) == 0 {
		return false
	}
	group, version, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		group, version = "", apiVersion
	}
	k := d.exact(group, name)
	if k == nil {
		return false
	}
	if version != "" && !slices.Contains(k.versions, version) {
		k.versions = append(k.versions, version)
	}
	if nested.At(content, "status", "observedGeneration") != nil {
		k.generation = map[string]string{"": "status", "conditions": "both"}[k.generation]
		k.generation = cmp.Or(k.generation, "status")
	}
	for _, entry := range entries {
		raw, _ := entry.(map[string]any)
		n := nested.Text(raw, "type")
		if !wire.ValidType(n) {
			d.skip("%s: %.80q is no condition type", name, n)
			continue
		}
		c := k.condition(d, n)
		if c == nil {
			continue
		}
		c.open = "The objects show some reasons only: read an unknown one by the status alone."
		if raw["observedGeneration"] != nil {
			k.generation = map[string]string{"": "conditions", "status": "both"}[k.generation] +
				map[bool]string{true: k.generation}[k.generation == "both" || k.generation == "conditions"]
		}
		status, reason := nested.Text(raw, "status"), nested.Text(raw, "reason")
		switch {
		case !wire.ValidStatus(conditions.Status(status)):
			d.skip("%s: %s has status %.80q", name, n, status)
		case reason == "":
			d.skip("%s: %s=%s has no reason", name, n, status)
		case !wire.ValidReason(reason):
			d.skip("%s: %s=%s has reason %.80q, which the API server refuses", name, n, status, reason)
		default:
			one := c.cell(d, reason, status)
			if one == nil {
				continue
			}
			one.severity = cmp.Or(one.severity, nested.Text(raw, "severity"))
			if one.meaning == "" && nested.Text(raw, "message") != "" {
				one.meaning = sentence(nested.Text(raw, "message"))
				one.note("the meaning is the message of one object")
			}
		}
	}
	return true
}

// exact returns the kind of an object, whose group may be empty.
func (d *Draft) exact(group, name string) *kind {
	for _, k := range d.kinds {
		if k.name == name && k.group == group {
			return k
		}
	}
	k := d.kind(cmp.Or(group, "core"), name)
	if k != nil {
		k.group, k.notes = group, nil
	}
	return k
}
