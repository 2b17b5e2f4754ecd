// SPDX-License-Identifier: Apache-2.0

package crdcheck

import (
	"strings"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/declare/catalog"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// list is a conditions list of one version.
type list struct {
	*evidence.Definition
	version *apiextensions.CustomResourceDefinitionVersion
	index   int
	path    string // status.conditions
	steps   []any  // in the document, down to the array
	array   *apiextensions.JSONSchemaProps
	item    *apiextensions.JSONSchemaProps // never nil
}

func (l *list) subject() string {
	return l.GroupKind().String() + "/" + l.version.Name + "/" + l.path
}

// at returns a place below the array.
func (l *list) at(steps ...any) catalog.Position {
	return l.Definition.At(append(append([]any{}, l.steps...), steps...)...)
}

// field returns the place of a property of the items.
func (l *list) field(name string, more ...any) catalog.Position {
	return l.at(append([]any{"items", "properties", name}, more...)...)
}

func (l *list) prop(name string) (apiextensions.JSONSchemaProps, bool) {
	p, ok := l.item.Properties[name]
	return p, ok
}

// definitions runs a function for each definition.
func definitions(do func(*check.Pass, *evidence.Definition)) func(*check.Pass) {
	return func(p *check.Pass) {
		for _, d := range p.CRDs {
			p.Subject()
			do(p, d)
		}
	}
}

// lists runs a function for each list of a served version.
func lists(do func(*check.Pass, *list)) func(*check.Pass) {
	return definitions(func(p *check.Pass, d *evidence.Definition) {
		for _, l := range listsOf(p, d) {
			if l.array != nil {
				p.Subject()
				do(p, l)
			}
		}
	})
}

// listsOf returns an entry for each served version; its array is nil where the version has no list.
func listsOf(p *check.Pass, d *evidence.Definition) []*list {
	path := "status.conditions"
	if k := p.Set().Kind(d.GroupKind()); k != nil {
		path = k.At.String()
	}
	var out []*list
	for i := range d.Spec.Versions {
		v := &d.Spec.Versions[i]
		if !v.Served {
			continue
		}
		l := &list{Definition: d, version: v, index: i, path: path, steps: []any{"spec", "versions", i, "schema", "openAPIV3Schema"}}
		out = append(out, l)
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		at := v.Schema.OpenAPIV3Schema
		for step := range strings.SplitSeq(path, ".") {
			name, each := strings.CutSuffix(step, "[*]")
			next, ok := at.Properties[name]
			if !ok {
				at = nil
				break
			}
			at = &next
			l.steps = append(l.steps, "properties", name)
			if each {
				if at.Items == nil || at.Items.Schema == nil {
					at = nil
					break
				}
				at = at.Items.Schema
				l.steps = append(l.steps, "items")
			}
		}
		if at == nil || at.Type != "array" {
			continue
		}
		l.array, l.item = at, &apiextensions.JSONSchemaProps{}
		if at.Items != nil && at.Items.Schema != nil {
			l.item = at.Items.Schema
		}
	}
	return out
}
