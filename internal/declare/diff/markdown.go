// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"fmt"
	"strings"
)

// Markdown returns a section for release notes: a list for each level that has changes.
func Markdown(changes []Change) string {
	var b strings.Builder
	b.WriteString("## Conditions\n")
	if len(changes) == 0 {
		b.WriteString("\nNo change.\n")
	}
	for _, level := range []struct {
		level   Level
		heading string
	}{{Breaking, "Breaking"}, {Note, "Worth knowing"}, {Compatible, "Compatible"}} {
		first := true
		for _, c := range changes {
			if c.Level != level.level {
				continue
			}
			if first {
				fmt.Fprintf(&b, "\n### %s\n\n", level.heading)
				first = false
			}
			fmt.Fprintf(&b, "- `%s`: %s.", c.Subject, c.Message)
			if c.Fix != "" {
				fmt.Fprintf(&b, " To do: %s.", c.Fix)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}
