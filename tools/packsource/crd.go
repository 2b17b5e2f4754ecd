// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// definitions adds the paths and enumerations of definitions in a file. Lines of a chart's template are left out first.
func (u *upstream) definitions(name string, data []byte) {
	if !bytes.Contains(data, []byte("CustomResourceDefinition")) {
		return
	}
	var plain bytes.Buffer
	for line := range bytes.Lines(data) {
		if !bytes.Contains(line, []byte("{{")) {
			plain.Write(line)
		}
	}
	for _, document := range strings.Split(plain.String(), "\n---") {
		var d apiextensions.CustomResourceDefinition
		if yaml.Unmarshal([]byte(document), &d) != nil || d.Kind != "CustomResourceDefinition" || d.Spec.Group == "" {
			continue
		}
		kind := d.Spec.Names.Kind + "." + d.Spec.Group
		u.groups[d.Spec.Group] = true
		u.files[kind] = name
		for _, v := range d.Spec.Versions {
			if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
				u.open[kind] = true
				continue
			}
			if status, ok := v.Schema.OpenAPIV3Schema.Properties["status"]; ok {
				u.schema(kind, "status", &status)
			}
		}
	}
}

func (u *upstream) schema(kind, at string, s *apiextensions.JSONSchemaProps) {
	if u.paths[kind] == nil {
		u.paths[kind] = map[string]bool{}
	}
	u.paths[kind][at] = true
	if s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields {
		u.open[kind] = true
	}
	if len(s.Enum) > 0 && !strings.HasSuffix(at, "conditions[].status") {
		var list []string
		for _, raw := range s.Enum {
			var v string
			if yaml.Unmarshal(raw.Raw, &v) == nil && v != "" {
				list = append(list, v)
			}
		}
		if len(list) > 0 {
			u.add(kind, at, list, "definition")
		}
	}
	for name, p := range s.Properties {
		u.schema(kind, at+"."+name, &p)
	}
	if s.Items != nil && s.Items.Schema != nil {
		u.schema(kind, at+"[]", s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		u.schema(kind, at+"[]", s.AdditionalProperties.Schema)
	}
}
