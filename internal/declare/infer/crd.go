// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/crd"
	"github.com/tristate/tristate/internal/declare/nested"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

var (
	typeEquals = regexp.MustCompile(`\btype\s*==\s*['"]([^'"\s]+)['"]`)
	knownTypes = regexp.MustCompile(`(?i)(?:known|condition) types? (?:are|is|include)s?:?\s*(.*)`)
	quotedName = regexp.MustCompile("[`\"']([A-Z][A-Za-z0-9]+)[`\"']")
)

// Definition reads a CustomResourceDefinition, as it is decoded from JSON: the types that its printer columns, schema, defaults, rules and
// descriptions name. An object of another kind is an error.
func (d *Draft) Definition(file string, content map[string]any) error {
	if nested.Text(content, "kind") != crd.Kind.Kind {
		return fmt.Errorf("%s: %s is no CustomResourceDefinition", file, nested.Text(content, "kind"))
	}
	definition, err := crd.ReadWhole(content)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	k := d.kind(definition.Spec.Group, definition.Spec.Names.Kind)
	if k == nil {
		return nil
	}
	k.notes = nil
	served := definition.Served()
	for i := range definition.Spec.Versions {
		v := &definition.Spec.Versions[i]
		if len(served) > 0 && !v.Served {
			continue
		}
		if !slices.Contains(k.versions, v.Name) {
			k.versions = append(k.versions, v.Name)
		}
		for _, column := range v.AdditionalPrinterColumns {
			k.namedIn(d, column.JSONPath, "a printer column")
		}
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		status := v.Schema.OpenAPIV3Schema.Properties["status"]
		if _, ok := status.Properties["observedGeneration"]; ok {
			k.generation = "status"
		}
		d.lists(file, k, &status, "status", 0)
	}
	if len(k.types) == 0 {
		d.skip("%s: %s names no condition type", file, k.name)
		d.kinds = slices.DeleteFunc(d.kinds, func(o *kind) bool { return o == k })
	}
	return nil
}

// lists looks for lists of conditions in a schema.
func (d *Draft) lists(file string, k *kind, schema *apiextensions.JSONSchemaProps, path string, depth int) {
	if depth > 12 {
		return
	}
	for _, n := range slices.Sorted(maps.Keys(schema.Properties)) {
		s := schema.Properties[n]
		if s.Items == nil || s.Items.Schema == nil {
			d.lists(file, k, &s, path+"."+n, depth+1)
			continue
		}
		item := s.Items.Schema
		_, hasType := item.Properties["type"]
		_, hasStatus := item.Properties["status"]
		if hasType && hasStatus && strings.HasSuffix(strings.ToLower(n), "conditions") {
			d.list(file, k, &s, item, path+"."+n)
		} else {
			d.lists(file, k, item, path+"."+n+"[*]", depth+1)
		}
	}
}

// list reads the names in the schema of a list of conditions.
func (d *Draft) list(file string, k *kind, s, item *apiextensions.JSONSchemaProps, path string) {
	if path != "status.conditions" {
		if k.path != "" && k.path != path {
			d.skip("%s: %s has conditions at %s, too", file, k.name, path)
			return
		}
		k.path = path
	}
	if _, ok := item.Properties["observedGeneration"]; ok {
		k.generation = map[string]string{"": "conditions", "status": "both", "both": "both", "conditions": "conditions"}[k.generation]
	}
	if _, ok := item.Properties["severity"]; ok {
		k.dialect, k.why = "capi-v1beta1", ""
	}
	for _, value := range item.Properties["type"].Enum {
		var n string
		if json.Unmarshal(value.Raw, &n) == nil {
			k.named(d, n, "the schema")
		}
	}
	var defaults []conditions.Condition
	if s.Default != nil && json.Unmarshal(s.Default.Raw, &defaults) == nil {
		for _, c := range defaults {
			if c.Type == "" {
				continue
			}
			k.named(d, c.Type, "a default")
			if c.Reason != "" {
				k.condition(d, c.Type).cell(d, c.Reason, string(c.Status)).note("a default of the schema")
			}
		}
	}
	for _, of := range []*apiextensions.JSONSchemaProps{s, item} {
		for _, rule := range of.XValidations {
			k.namedIn(d, rule.Rule, "a rule of the schema")
		}
		for _, line := range strings.Split(of.Description, "\n\n") {
			if m := knownTypes.FindStringSubmatch(strings.Join(strings.Fields(line), " ")); m != nil {
				for _, n := range quotedName.FindAllStringSubmatch(m[1], -1) {
					k.named(d, n[1], "the description")
				}
			}
		}
	}
}

// namedIn adds the types with which an expression compares the type of a condition.
func (k *kind) namedIn(d *Draft, expression, from string) {
	for _, m := range typeEquals.FindAllStringSubmatch(expression, -1) {
		k.named(d, m[1], from)
	}
}

// named adds a type of which only the name is known.
func (k *kind) named(d *Draft, n, from string) {
	known := slices.ContainsFunc(k.types, func(c *condition) bool { return c.name == n })
	c := k.condition(d, n)
	if c == nil {
		return
	}
	if len(c.cells) == 0 {
		c.open = "The source names no reasons: read each by the status alone."
	}
	if right := nearSuffix(n); right != "" && len(c.notes) == 0 {
		c.notes = append(c.notes, "the ending looks misspelt: "+right)
	}
	if !known {
		c.notes = append(c.notes, "named by "+from)
	}
}
