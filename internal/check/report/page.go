// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
)

// Page returns the documentation of a check as Markdown: its title, the reason, the exact rule, and its examples with the findings in the
// failing one.
func Page(c *check.Check) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s.\n\n", c.ID, sentence(c.Title))
	fmt.Fprintf(&b, "| level | needs |\n|---|---|\n| %s | %s |\n\n", c.Level, needs(c.Needs))
	fmt.Fprintf(&b, "## Why\n\n%s.\n\n## Rule\n\n%s\n\n", sentence(c.Why), c.Doc)
	if c.Fix != "" {
		fmt.Fprintf(&b, "To mend it: %s.\n\n", c.Fix)
	}
	fmt.Fprintf(&b, "## Fails\n\n")
	examples(&b, c.Bad, c.Good)
	fmt.Fprintf(&b, "Found:\n\n```text\n%s```\n\n## Passes\n\n", c.Want)
	examples(&b, c.Good, c.Good)
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
}

func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func needs(n evidence.Need) string {
	if names := (n &^ evidence.Run).String(); names != "" {
		return names
	}
	return "nothing"
}

// examples writes files. Those that are not among the good ones are marked as invalid.
func examples(b *bytes.Buffer, files, good []check.File) {
	for _, f := range files {
		language := strings.TrimPrefix(filepath.Ext(f.Name), ".")
		fence := "```"
		if language == "md" {
			fence = "~~~~"
		}
		if !slices.ContainsFunc(good, func(g check.File) bool { return g.Name == f.Name && bytes.Equal(g.Data, f.Data) }) {
			language += " invalid"
		}
		fmt.Fprintf(b, "`%s`\n\n%s%s\n%s%s\n\n", f.Name, fence, language, f.Data, fence)
	}
}
