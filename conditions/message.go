// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"fmt"
	"strings"
)

// Text formats a message as fmt.Sprintf does. A format without verbs and arguments is the message.
func Text(format string, args ...any) string {
	if len(args) == 0 && strings.IndexByte(format, '%') < 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}
