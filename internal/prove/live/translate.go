// SPDX-License-Identifier: Apache-2.0

package live

import (
	"github.com/tristate/tristate/internal/prove/story"
	"k8s.io/apimachinery/pkg/runtime"
)

// outward returns a copy of a story's object for the API server, inward one of the server's object for the story.
func (w *World) outward(content map[string]any) map[string]any {
	return translate(content, story.DefaultNamespace, w.options.Namespace)
}

func (w *World) inward(content map[string]any) map[string]any {
	return translate(content, w.options.Namespace, story.DefaultNamespace)
}

// translate returns a copy with one namespace called by another name: that of the object, and those of references, which are
// maps with a kind, a name and a namespace.
func translate(content map[string]any, from, to string) map[string]any {
	out := runtime.DeepCopyJSON(content)
	if metadata, ok := out["metadata"].(map[string]any); ok && metadata["namespace"] == from {
		metadata["namespace"] = to
	}
	rename(out, from, to)
	return out
}

func rename(value any, from, to string) {
	switch v := value.(type) {
	case map[string]any:
		if v["namespace"] == from && isText(v["kind"]) && isText(v["name"]) {
			v["namespace"] = to
		}
		for _, item := range v {
			rename(item, from, to)
		}
	case []any:
		for _, item := range v {
			rename(item, from, to)
		}
	}
}

func isText(value any) bool {
	_, ok := value.(string)
	return ok
}
