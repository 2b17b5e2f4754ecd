// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"slices"
	"strings"
)

// missing are the messages of CEL about a field, key, index or variable that does not exist. CEL exports no type for these errors; the test
// has an expression for each message.
var missing = []string{"no such key: ", "index out of bounds: ", "no such attribute(s): "}

// IsMissing reports whether an evaluation failed because a field, key, index or variable does not exist.
func IsMissing(err error) bool {
	return err != nil && slices.ContainsFunc(missing, func(message string) bool { return strings.Contains(err.Error(), message) })
}
