// SPDX-License-Identifier: Apache-2.0

package story

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/json"
)

// mergePatch applies a JSON merge patch (RFC 7386) to a map that may be changed.
func mergePatch(target, patch map[string]any) map[string]any {
	if target == nil {
		target = map[string]any{}
	}
	for key, value := range patch {
		switch v := value.(type) {
		case nil:
			delete(target, key)
		case map[string]any:
			old, _ := target[key].(map[string]any)
			target[key] = mergePatch(old, v)
		default:
			target[key] = value
		}
	}
	return target
}

// normalize returns a deep copy with the types of decoded JSON.
func normalize(content map[string]any) (map[string]any, error) {
	data, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("the object is not JSON: %w", err)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("the object is not JSON: %w", err)
	}
	return out, nil
}
