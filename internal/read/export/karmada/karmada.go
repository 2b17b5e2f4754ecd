// SPDX-License-Identifier: Apache-2.0

package karmada

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/read/export"
	"github.com/tristate/tristate/internal/read/export/argocd"
	"sigs.k8s.io/yaml"
)

// Script returns the script of a kind, with what it cannot express.
func Script(s *export.Subject) (string, []export.Difference) {
	chunk, differences := argocd.Chunk(s)
	script := fmt.Sprintf("-- Health of %s.\nlocal function health(obj)\n%send\n\nfunction InterpretHealth(obj)\n"+
		"  local status = health(obj).status\n  return status == \"Healthy\" or status == \"Suspended\"\nend\n", s.Name(), chunk)
	return script, slices.DeleteFunc(differences, func(d export.Difference) bool { return d.ID == export.Message })
}

// Generate returns the customisations of kinds, one for each version; versions are those of kinds whose catalogs name none.
func Generate(subjects []*export.Subject, versions []string) (*export.Product, error) {
	p := &export.Product{}
	out := bytes.NewBufferString(export.Header("#", "karmada"))
	for _, s := range subjects {
		known, err := s.AllVersions(versions)
		if err != nil {
			return nil, err
		}
		script, differences := Script(s)
		p.Differences = append(p.Differences, differences...)
		p.Notes = append(p.Notes, fmt.Sprintf("this replaces the health interpretation that Karmada has for %s, if any; of two customisations "+
			"of one kind Karmada takes the first by name", s.Name()))
		for _, version := range known {
			data, err := yaml.Marshal(map[string]any{
				"apiVersion": "config.karmada.io/v1alpha1", "kind": "ResourceInterpreterCustomization",
				"metadata": map[string]any{"name": strings.ToLower(s.Name()) + "-" + version},
				"spec": map[string]any{
					"target":         map[string]any{"apiVersion": s.APIVersion(version), "kind": s.For.Kind},
					"customizations": map[string]any{"healthInterpretation": map[string]any{"luaScript": script}},
				},
			})
			if err != nil {
				return nil, err
			}
			out.WriteString("---\n")
			out.Write(data)
		}
	}
	p.Files = []export.File{{Name: "customizations.yaml", Data: out.Bytes()}}
	return p, nil
}
