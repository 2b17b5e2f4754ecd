// SPDX-License-Identifier: Apache-2.0

package export

import (
	"strings"

	"github.com/tristate/tristate/internal/declare/nested"
)

// ConditionMet answers as `kubectl wait --for=condition=TYPE` does: the first condition of the type, in any letter case, is True, and is
// not about an older generation by its own observedGeneration or else by the status's.
func ConditionMet(object map[string]any, conditionType string) bool {
	for _, c := range nested.Maps(object, "status", "conditions") {
		if !strings.EqualFold(nested.Text(c, "type"), conditionType) {
			continue
		}
		seen, ok := c["observedGeneration"].(int64)
		if !ok {
			seen, ok = nested.At(object, "status", "observedGeneration").(int64)
		}
		if generation, known := nested.At(object, "metadata", "generation").(int64); known && ok && seen < generation {
			return false
		}
		return strings.EqualFold(nested.Text(c, "status"), "True")
	}
	return false
}
