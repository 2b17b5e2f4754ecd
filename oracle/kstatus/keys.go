// SPDX-License-Identifier: Apache-2.0

package kstatus

import (
	"maps"
	"slices"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
