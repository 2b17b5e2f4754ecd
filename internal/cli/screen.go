// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"strings"
)

// screen writes lines that stay, and frames that are drawn again in place until the next line. Where the output is no terminal, and
// where a frame is taller than it, every frame stays.
type screen struct {
	out      io.Writer
	terminal bool
	height   int // of the terminal in rows; 0: unknown
	last     string
}

// Line writes a line below the last frame.
func (s *screen) Line(text string) {
	s.last = ""
	fmt.Fprintf(s.out, "\n%s\n", text)
}

// Frame draws a frame in place of the one before, and says whether it differs from it.
func (s *screen) Frame(text string) bool {
	if text == s.last {
		return false
	}
	rows := strings.Count(s.last, "\n")
	if s.terminal && rows > 0 && (s.height == 0 || rows < s.height) {
		fmt.Fprintf(s.out, "\x1b[%dA\x1b[J", rows)
	} else if s.last != "" {
		fmt.Fprintln(s.out)
	}
	s.last = text
	fmt.Fprint(s.out, text)
	return true
}
