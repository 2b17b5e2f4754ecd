// SPDX-License-Identifier: Apache-2.0

package story

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/tristate/tristate/internal/declare/catalog"

	"github.com/tristate/tristate/internal/read/input"
	"github.com/tristate/tristate/internal/read/relation"
	"go.yaml.in/yaml/v3"
)

// maxDepth and maxNodes bound a document with its aliases unfolded.
const (
	maxDepth = 100
	maxNodes = 200_000
)

// readObjects decodes the documents of a file of the archive, whose marker is in line marker.
func readObjects(file string, data []byte, marker int) ([]input.Object, []*Error) {
	var out []input.Object
	var errs []*Error
	fail := func(line int, format string, args ...any) {
		errs = append(errs, &Error{File: file, Line: marker + line, Message: fmt.Sprintf(format, args...)})
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var n yaml.Node
		err := decoder.Decode(&n)
		if errors.Is(err, io.EOF) {
			return out, errs
		}
		if err != nil {
			line, message := catalog.YAMLError(err)
			fail(max(line, 1), "bad YAML: %s", message)
			return out, errs
		}
		if len(n.Content) == 0 || n.Content[0].Tag == "!!null" {
			continue
		}
		root := n.Content[0]
		value, line, err := plain(root, 0)
		if err != nil {
			fail(line, "%v", err)
			continue
		}
		content, ok := value.(map[string]any)
		if !ok {
			fail(root.Line, "the document is not an object")
			continue
		}
		o := relation.FromContent(content)
		switch {
		case o.APIVersion == "" || o.Kind == "":
			fail(root.Line, "the object has no apiVersion or no kind")
		case o.Name == "":
			fail(root.Line, "%s has no metadata.name", o.Kind)
		case content["status"] != nil:
			fail(keyLine(root, "status"), "%s/%s brings a status: leaf conditions are written with report, other fields with status", o.Kind, o.Name)
		default:
			out = append(out, input.Object{Content: content, File: file, Line: marker + root.Line})
		}
	}
}

// keyLine returns the line of a key of a mapping.
func keyLine(n *yaml.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i].Line
		}
	}
	return n.Line
}

// plain returns a node as decoded JSON: string, int64, float64, bool, nil, []any or map[string]any. The line is that
// of the error.
func plain(n *yaml.Node, depth int) (any, int, error) {
	nodes := 0
	return unfold(n, depth, &nodes)
}

func unfold(n *yaml.Node, depth int, nodes *int) (any, int, error) {
	if *nodes++; depth > maxDepth || *nodes > maxNodes {
		return nil, n.Line, errors.New("the YAML is too deep or unfolds to too much")
	}
	switch n.Kind {
	case yaml.AliasNode:
		return unfold(n.Alias, depth+1, nodes)
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			value, line, err := unfold(item, depth+1, nodes)
			if err != nil {
				return nil, line, err
			}
			list = append(list, value)
		}
		return list, 0, nil
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
				return nil, key.Line, errors.New("a key is not a plain name")
			}
			if _, there := m[key.Value]; there {
				return nil, key.Line, fmt.Errorf("key %q occurs twice", key.Value)
			}
			value, line, err := unfold(n.Content[i+1], depth+1, nodes)
			if err != nil {
				return nil, line, err
			}
			m[key.Value] = value
		}
		return m, 0, nil
	}
	switch n.ShortTag() {
	case "!!int":
		var i int64
		if err := n.Decode(&i); err == nil {
			return i, 0, nil
		}
		return nil, n.Line, fmt.Errorf("number %.40s is too large", n.Value)
	case "!!float":
		var f float64
		err := n.Decode(&f)
		return f, n.Line, err
	case "!!bool":
		var b bool
		err := n.Decode(&b)
		return b, n.Line, err
	case "!!null":
		return nil, 0, nil
	}
	return n.Value, 0, nil
}
