// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"fmt"

	"github.com/tristate/tristate/internal/declare/catalog"
	"go.yaml.in/yaml/v3"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	sigsyaml "sigs.k8s.io/yaml"
)

// Definition is a CustomResourceDefinition with the places of its parts.
type Definition struct {
	*apiextensions.CustomResourceDefinition
	Position catalog.Position
	file     string
	root     *yaml.Node
	line     int // lines before the document
}

// GroupKind returns the kind that it defines.
func (d *Definition) GroupKind() schema.GroupKind {
	return schema.GroupKind{Group: d.Spec.Group, Kind: d.Spec.Names.Kind}
}

// At returns the place of a field, by keys and, for items of lists, their index as int. Where a part of the path is missing it is the last
// one that exists.
func (d *Definition) At(path ...any) catalog.Position {
	at := d.root
	for _, step := range path {
		var place *yaml.Node
		at, place = child(at, step)
		if at == nil {
			break
		}
		d = d.with(place)
	}
	return d.Position
}

func (d *Definition) with(n *yaml.Node) *Definition {
	moved := *d
	moved.Position = catalog.Position{File: d.file, Line: n.Line + d.line, Column: n.Column}
	return &moved
}

// Field returns a value of a mapping; nil without one. Aliases are not followed.
func Field(n *yaml.Node, name string) *yaml.Node {
	value, _ := child(n, name)
	return value
}

// Items returns the items of a list; none of another node.
func Items(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// child returns the value of a field or item, and the node at its place: the key, or the item.
func child(n *yaml.Node, step any) (value, place *yaml.Node) {
	if n == nil {
		return nil, nil
	}
	switch step := step.(type) {
	case string:
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == step {
				return n.Content[i+1], n.Content[i]
			}
		}
	case int:
		if items := Items(n); step < len(items) {
			return items[step], items[step]
		}
	}
	return nil, nil
}

// definition reads one document. line is the number of lines before it.
func definition(file string, line int, data []byte) (*Definition, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return nil, err
	}
	crd := &apiextensions.CustomResourceDefinition{}
	if err := sigsyaml.Unmarshal(data, crd); err != nil {
		return nil, fmt.Errorf("read CustomResourceDefinition: %w", err)
	}
	d := &Definition{CustomResourceDefinition: crd, file: file, line: line, Position: catalog.Position{File: file, Line: line + 1, Column: 1}}
	if len(root.Content) > 0 {
		d.root = root.Content[0]
		d.Position = d.with(d.root).Position
	}
	return d, nil
}
