// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"maps"

	"go.yaml.in/yaml/v3"
)

// serverMetadata are the fields of an object's metadata that the API server or its clients keep; a catalog has no use for them.
var serverMetadata = []string{"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers", "generateName",
	"generation", "managedFields", "ownerReferences", "resourceVersion", "selfLink", "uid"}

// FromObject reads a ConditionCatalog object from an API server, as strictly as [Parse] reads a file. Its status and what
// the server keeps in its metadata are ignored. obj is decoded JSON. The positions of its errors name the object and have no line.
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
	root := &yaml.Node{}
	if err := root.Encode(content); err != nil {
		return nil, Errors{{Position: Position{File: file}, Message: err.Error()}}
	}
	source, errs := decode(nil, file, root)
	if len(errs) > 0 {
		return nil, errs.err()
	}
	return source, nil
}
