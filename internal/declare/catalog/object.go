// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// serverMetadata are the fields of an object's metadata that the API server or its clients keep; a catalog has no use for them.
var serverMetadata = []string{"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers", "generateName",
	"generation", "managedFields", "ownerReferences", "resourceVersion", "selfLink", "uid"}

// FromObject reads a ConditionCatalog object from an API server, as strictly as [Parse] reads a file. Its status and what
// the server keeps in its metadata are ignored. The positions of its errors name the object and have no line.
func FromObject(obj map[string]any) (*Source, error) {
	content := maps.Clone(obj)
	delete(content, "status")
	file := "conditioncatalogs"
	if metadata, ok := content["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		for _, name := range serverMetadata {
			delete(metadata, name)
		}
		content["metadata"] = metadata
		if name, ok := metadata["name"].(string); ok && name != "" {
			file += "/" + name
		}
	}
	nodes := maxNodes
	root, err := nodeOf(content, &nodes)
	if err != nil {
		return nil, Errors{{Position: Position{File: file}, Message: err.Error()}}
	}
	source, errs := decode(nil, file, root)
	if len(errs) > 0 {
		return nil, errs.err()
	}
	return source, nil
}

// nodeOf returns a value of a decoded object as a node without a position.
func nodeOf(value any, left *int) (*yaml.Node, error) {
	if *left--; *left < 0 {
		return nil, fmt.Errorf("object has more than %d values", maxNodes)
	}
	scalar := func(tag, text string) (*yaml.Node, error) {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}, nil
	}
	switch v := value.(type) {
	case nil:
		return scalar("!!null", "null")
	case string:
		return scalar("!!str", v)
	case bool:
		return scalar("!!bool", strconv.FormatBool(v))
	case int:
		return scalar("!!int", strconv.Itoa(v))
	case int64:
		return scalar("!!int", strconv.FormatInt(v, 10))
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return scalar("!!int", v.String())
		}
		return scalar("!!float", v.String())
	case float64:
		if whole := int64(v); float64(whole) == v {
			return scalar("!!int", strconv.FormatInt(whole, 10))
		}
		return scalar("!!float", strconv.FormatFloat(v, 'g', -1, 64))
	case []any:
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range v {
			node, err := nodeOf(item, left)
			if err != nil {
				return nil, err
			}
			list.Content = append(list.Content, node)
		}
		return list, nil
	case map[string]any:
		mapping := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			node, err := nodeOf(v[key], left)
			if err != nil {
				return nil, err
			}
			mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, node)
		}
		return mapping, nil
	}
	return nil, fmt.Errorf("object holds a value of type %T, which JSON cannot have", value)
}
