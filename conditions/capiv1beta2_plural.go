// SPDX-License-Identifier: Apache-2.0

package conditions

import "strings"

// plural is the English plural of a kind.
func plural(kind string) string {
	lower := strings.ToLower(kind)
	switch {
	case kind == "":
		return ""
	case strings.HasSuffix(lower, "y") && len(kind) > 1 && !strings.ContainsRune("aeiou", rune(lower[len(lower)-2])):
		return kind[:len(kind)-1] + "ies"
	case strings.HasSuffix(lower, "s"), strings.HasSuffix(lower, "x"), strings.HasSuffix(lower, "z"),
		strings.HasSuffix(lower, "ch"), strings.HasSuffix(lower, "sh"):
		return kind + "es"
	}
	return kind + "s"
}
