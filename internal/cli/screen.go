// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/tristate/tristate/internal/count"
)

// screen writes lines that stay, and frames that are drawn again in place until the next line. Of a frame that is taller than the terminal
// the top is shown. Where the output is no terminal every frame stays, whole.
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
	text = s.fit(text)
	if text == s.last {
		return false
	}
	rows := strings.Count(s.last, "\n")
	if s.terminal && rows > 0 {
		fmt.Fprintf(s.out, "\x1b[%dA\x1b[J", rows)
	} else if s.last != "" {
		fmt.Fprintln(s.out)
	}
	s.last = text
	fmt.Fprint(s.out, text)
	return true
}

// fit cuts what does not fit on the terminal.
func (s *screen) fit(text string) string {
	rows := strings.Count(text, "\n")
	if !s.terminal || s.height < 3 || rows < s.height {
		return text
	}
	end := 0
	for range s.height - 2 {
		end += strings.IndexByte(text[end:], '\n') + 1
	}
	return fmt.Sprintf("%s… and %s\n", text[:end], count.Of(rows-s.height+2, "more row"))
}
