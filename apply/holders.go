// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"encoding/json"
	"slices"
	"strings"
)

// Holder is a field manager that holds conditions of an object.
type Holder struct {
	Manager string
	// Types are the condition types of which it holds any field.
	Types []string
	// Whole: the API server keeps one owner for the whole list, and this is it. Which entries it wrote is not known.
	Whole bool
}

// Holders reads from the managed fields of a decoded object who holds the conditions at path, in the order of the managed fields. What the
// API server did not track (before-first-apply) has no holder.
func Holders(object map[string]any, path []string) []Holder {
	metadata, _ := object["metadata"].(map[string]any)
	entries, _ := metadata["managedFields"].([]any)
	var out []Holder
	for _, entry := range entries {
		m, _ := entry.(map[string]any)
		manager, _ := m["manager"].(string)
		if manager == beforeFirstApply {
			continue
		}
		node, there := m["fieldsV1"].(map[string]any)
		for _, field := range path {
			if there {
				node, there = node["f:"+field].(map[string]any)
			}
		}
		if !there {
			continue
		}
		h := Holder{Manager: manager, Whole: true}
		for key := range node {
			if key != "." {
				h.Whole = false
			}
			var keys struct{ Type string }
			if text, ok := strings.CutPrefix(key, "k:"); ok && json.Unmarshal([]byte(text), &keys) == nil && keys.Type != "" {
				h.Types = append(h.Types, keys.Type)
			}
		}
		if _, dot := node["."]; dot && h.Whole {
			continue // it made the list and holds no entry of it
		}
		slices.Sort(h.Types)
		if i := slices.IndexFunc(out, func(o Holder) bool { return o.Manager == manager }); i >= 0 {
			out[i].Whole = out[i].Whole || h.Whole
			out[i].Types = append(out[i].Types, h.Types...)
			slices.Sort(out[i].Types)
			out[i].Types = slices.Compact(out[i].Types)
			continue
		}
		out = append(out, h)
	}
	return out
}
