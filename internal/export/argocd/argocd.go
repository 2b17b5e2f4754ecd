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
	// ConfigMap is a patch of argocd-cm with keys for each kind.
	ConfigMap = "configmap"
	// Operator is a patch of the ArgoCD object that argocd-operator reads, with the same keys in spec.extraConfig. It has a list of health
	// checks, too, which a patch could only replace.
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
		p.Include(s)
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
	case ConfigMap, Operator:
		data := map[string]string{}
		for _, s := range subjects {
			data["resource.customizations.health."+key(s)] = scripts[s.Name()]
			data["resource.customizations.useOpenLibs."+key(s)] = "false"
		}
		name, object, patch := "argocd-cm-patch.yaml", export.Target{Type: "configmaps", Namespace: "argocd", Name: "argocd-cm"}, any(nil)
		if patch = map[string]any{"data": data}; form == Operator {
			name, object = "argocd-patch.yaml", export.Target{Type: "argocds.argoproj.io", Namespace: "argocd", Name: "argocd"}
			patch = map[string]any{"spec": map[string]any{"extraConfig": data}}
		}
		if err := p.Patch("argocd", name, object, patch); err != nil {
			return nil, err
		}
		if n := len(p.Files[0].Data); n > maxConfigMap {
			return nil, fmt.Errorf("%s has %d bytes, above the limit of %d for one object: generate fewer kinds at a time", name, n, maxConfigMap)
		}
		return p, nil
	}
	return nil, fmt.Errorf("form %q: use one of %s, %s, %s", form, Files, ConfigMap, Operator)
}

// key returns the name of a kind in a key of argocd-cm.
func key(s *export.Subject) string { return strings.TrimPrefix(s.For.Group+"_"+s.For.Kind, "_") }
