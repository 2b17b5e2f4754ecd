// SPDX-License-Identifier: Apache-2.0

package export

import "strings"

// ConditionMet answers as `kubectl wait --for=condition=TYPE` does: the first condition of the type, in any letter case, is True, and is
// not about an older generation by its own observedGeneration or else by that of the status.
func ConditionMet(object map[string]any, conditionType string) bool {
	metadata, _ := object["metadata"].(map[string]any)
	status, _ := object["status"].(map[string]any)
	list, _ := status["conditions"].([]any)
	for _, one := range list {
		c, _ := one.(map[string]any)
		name, _ := c["type"].(string)
		if !strings.EqualFold(name, conditionType) {
			continue
		}
		seen, ok := c["observedGeneration"].(int64)
		if !ok {
			seen, ok = status["observedGeneration"].(int64)
		}
		if generation, known := metadata["generation"].(int64); known && ok && seen < generation {
			return false
		}
		word, _ := c["status"].(string)
		return strings.EqualFold(word, "True")
	}
	return false
}
