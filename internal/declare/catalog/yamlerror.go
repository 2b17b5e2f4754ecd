// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"strconv"
	"strings"
)

// YAMLError returns the line of a syntax error of the YAML library, which has no type for them, counted from 1 in what was decoded, and the
// message without it; 0 where the error has no line.
func YAMLError(err error) (line int, message string) {
	message = strings.TrimPrefix(strings.TrimPrefix(err.Error(), "error converting YAML to JSON: "), "yaml: ")
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		number, text, _ := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(number); err == nil {
			return n, text
		}
	}
	return 0, message
}
