// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"fmt"
	"strings"

	"github.com/tristate/tristate/internal/export"
)

// The forms of the product.
const (
	// Files are health.lua in a folder of each kind, as Argo CD keeps its own.
	Files = "files"
	// ConfigMap is argocd-cm with one key for each kind.
	ConfigMap = "configmap"
	// Operator is what argocd-operator reads: the list spec.resourceHealthChecks of an ArgoCD object.
	Operator = "operator"
)

// maxConfigMap is the size at which the API server refuses a ConfigMap.
const maxConfigMap = 1 << 20

// Generate returns the health checks of kinds in a form. Each kind has a key of its own, so that no two patterns match one kind. A
// ConfigMap above the limit of the API server is an error.
func Generate(subjects []*export.Subject, form string) (*export.Product, error) {
	p := &export.Product{}
	scripts := map[string]string{}
	for _, s := range subjects {
		script, differences := Script(s)
		scripts[s.Name()] = script
		p.Differences = append(p.Differences, differences...)
		p.Notes = append(p.Notes, fmt.Sprintf("this key replaces the health check that Argo CD has for %s, if any", s.Name()))
	}
	switch form {
	case Files:
		for _, s := range subjects {
			group := s.For.Group
			if group == "" {
				group = "core"
			}
			p.Files = append(p.Files, export.File{Name: group + "/" + s.For.Kind + "/health.lua", Data: []byte(scripts[s.Name()])})
		}
		return p, nil
	case ConfigMap:
		data := map[string]string{}
		for _, s := range subjects {
			data["resource.customizations.health."+key(s)] = scripts[s.Name()]
			data["resource.customizations.useOpenLibs."+key(s)] = "false"
		}
		return p, add(p, "argocd-cm.yaml", map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"name": "argocd-cm", "namespace": "argocd", "labels": map[string]any{"app.kubernetes.io/part-of": "argocd"}},
			"data":     data,
		})
	case Operator:
		var checks []any
		for _, s := range subjects {
			checks = append(checks, map[string]any{"group": s.For.Group, "kind": s.For.Kind, "check": scripts[s.Name()]})
		}
		return p, add(p, "argocd.yaml", map[string]any{
			"apiVersion": "argoproj.io/v1beta1", "kind": "ArgoCD", "metadata": map[string]any{"name": "argocd", "namespace": "argocd"},
			"spec": map[string]any{"resourceHealthChecks": checks},
		})
	}
	return nil, fmt.Errorf("form %q: use one of %s, %s, %s", form, Files, ConfigMap, Operator)
}

// key returns the name of a kind in a key of argocd-cm.
func key(s *export.Subject) string { return strings.TrimPrefix(s.For.Group+"_"+s.For.Kind, "_") }

// add adds a YAML file.
func add(p *export.Product, name string, object map[string]any) error {
	if err := p.Add("argocd", name, object); err != nil {
		return err
	}
	if n := len(p.Files[0].Data) - len(export.Header("#", "argocd")); n > maxConfigMap {
		return fmt.Errorf("%s has %d bytes, above the limit of %d for one object: generate fewer kinds at a time", name, n, maxConfigMap)
	}
	return nil
}
