// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	typeEquals = regexp.MustCompile(`\btype\s*==\s*['"]([^'"\s]+)['"]`)
	knownTypes = regexp.MustCompile(`(?i)(?:known|condition) types? (?:are|is|include)s?:?\s*(.*)`)
	quotedName = regexp.MustCompile("[`\"']([A-Z][A-Za-z0-9]+)[`\"']")
)

// Definition reads a CustomResourceDefinition, as it is decoded from JSON: the types that its printer columns, schema, defaults, rules and
// descriptions name. An object of another kind is an error.
func (d *Draft) Definition(file string, crd map[string]any) error {
	if text(crd, "kind") != "CustomResourceDefinition" {
		return fmt.Errorf("%s: %s is no CustomResourceDefinition", file, text(crd, "kind"))
	}
	k := d.kind(text(crd, "spec", "group"), text(crd, "spec", "names", "kind"))
	if k == nil {
		return nil
	}
	k.notes = nil
	for _, version := range list(crd, "spec", "versions") {
		v, _ := version.(map[string]any)
		if served, ok := v["served"].(bool); ok && !served {
			continue
		}
		if name := text(v, "name"); !slices.Contains(k.versions, name) {
			k.versions = append(k.versions, name)
		}
		for _, column := range list(v, "additionalPrinterColumns") {
			c, _ := column.(map[string]any)
			for _, m := range typeEquals.FindAllStringSubmatch(text(c, "jsonPath"), -1) {
				k.named(d, m[1], "a printer column")
			}
		}
		status := at(v, "schema", "openAPIV3Schema", "properties", "status")
		if at(status, "properties", "observedGeneration") != nil {
			k.generation = "status"
		}
		d.lists(file, k, status, "status", 0)
	}
	if len(k.types) == 0 {
		d.skip("%s: %s names no condition type", file, k.name)
		d.kinds = slices.DeleteFunc(d.kinds, func(o *kind) bool { return o == k })
	}
	return nil
}

// lists looks for lists of conditions in a schema.
func (d *Draft) lists(file string, k *kind, schema map[string]any, path string, depth int) {
	if depth > 12 || schema == nil {
		return
	}
	properties := at(schema, "properties")
	names := make([]string, 0, len(properties))
	for n := range properties {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		s, _ := properties[n].(map[string]any)
		item := at(s, "items")
		fields := at(item, "properties")
		switch {
		case fields["type"] != nil && fields["status"] != nil && strings.HasSuffix(strings.ToLower(n), "conditions"):
			d.list(file, k, s, item, path+"."+n)
		case item != nil:
			d.lists(file, k, item, path+"."+n+"[*]", depth+1)
		default:
			d.lists(file, k, s, path+"."+n, depth+1)
		}
	}
}

// list reads the names in the schema of a list of conditions.
func (d *Draft) list(file string, k *kind, s, item map[string]any, path string) {
	if path != "status.conditions" {
		if k.path != "" && k.path != path {
			d.skip("%s: %s has conditions at %s, too", file, k.name, path)
			return
		}
		k.path = path
	}
	if at(item, "properties", "observedGeneration") != nil {
		k.generation = map[string]string{"": "conditions", "status": "both", "both": "both", "conditions": "conditions"}[k.generation]
	}
	if at(item, "properties", "severity") != nil {
		k.dialect, k.why = "capi-v1beta1", ""
	}
	for _, value := range list(item, "properties", "type", "enum") {
		if n, ok := value.(string); ok {
			k.named(d, n, "the schema")
		}
	}
	for _, value := range list(s, "default") {
		c, _ := value.(map[string]any)
		if n := text(c, "type"); n != "" {
			k.named(d, n, "a default")
			if r := text(c, "reason"); r != "" {
				k.condition(d, n).cell(d, r, text(c, "status")).note("a default of the schema")
			}
		}
	}
	for _, of := range []map[string]any{s, item} {
		for _, rule := range list(of, "x-kubernetes-validations") {
			r, _ := rule.(map[string]any)
			for _, m := range typeEquals.FindAllStringSubmatch(text(r, "rule"), -1) {
				k.named(d, m[1], "a rule of the schema")
			}
		}
		for _, line := range strings.Split(text(of, "description"), "\n\n") {
			if m := knownTypes.FindStringSubmatch(strings.Join(strings.Fields(line), " ")); m != nil {
				for _, n := range quotedName.FindAllStringSubmatch(m[1], -1) {
					k.named(d, n[1], "the description")
				}
			}
		}
	}
}

// named adds a type of which only the name is known.
func (k *kind) named(d *Draft, n, from string) {
	known := slices.ContainsFunc(k.types, func(c *condition) bool { return c.name == n })
	if k.enumerate(d, n); !known && len(k.types) > 0 {
		if c := k.types[len(k.types)-1]; c.name == n {
			c.notes = append(c.notes, "named by "+from)
		}
	}
}

// at is the object at a way; nil without one.
func at(o map[string]any, way ...string) map[string]any {
	for _, key := range way {
		o, _ = o[key].(map[string]any)
	}
	return o
}

func text(o map[string]any, way ...string) string {
	s, _ := at(o, way[:len(way)-1]...)[way[len(way)-1]].(string)
	return s
}

func list(o map[string]any, way ...string) []any {
	l, _ := at(o, way[:len(way)-1]...)[way[len(way)-1]].([]any)
	return l
}
