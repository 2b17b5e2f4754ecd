// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Logs are the last lines of the log of a container.
type Logs struct {
	Container string   `json:"container"`
	Previous  bool     `json:"previous,omitempty"` // of the run before
	Lines     []string `json:"lines"`
	Error     string   `json:"error,omitempty"` // why they could not be read
}

// writeLogs writes the lines of a container below the cause that it explains. Lines are cut at the width, not broken.
func writeLogs(b *strings.Builder, l *Logs, o Options) {
	if l == nil {
		return
	}
	which := "container " + clean(l.Container)
	if l.Previous {
		which += ", the run before"
	}
	switch {
	case l.Error != "":
		b.WriteString(wrap(fmt.Sprintf("%-7s of %s: %s", "logs", which, Line(l.Error)), o.Width) + "\n")
		return
	case len(l.Lines) == 0:
		fmt.Fprintf(b, "%-7s %s: it has written nothing\n", "logs", which)
		return
	}
	fmt.Fprintf(b, "%-7s %s\n", "logs", which)
	for _, line := range l.Lines {
		line = "  | " + strings.TrimRight(clean(strings.ReplaceAll(line, "\t", "    ")), " ")
		if o.Width > 0 {
			line = runewidth.Truncate(line, o.Width, "…")
		}
		b.WriteString(line + "\n")
	}
}
