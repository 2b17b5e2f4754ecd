// SPDX-License-Identifier: Apache-2.0

package app

import (
	"fmt"
	"io"
	"strings"

	"github.com/tristate/tristate/internal/declare/english"
)

// Screen writes lines that stay, and frames that are drawn again in place until the next line. If a frame is taller than the terminal, its
// top is shown. If the output is no terminal, every frame stays, whole.
type Screen struct {
	Out      io.Writer
	Terminal bool
	Height   int // of the terminal in rows; 0: unknown
	last     string
}

// Line writes a line below the last frame.
func (s *Screen) Line(text string) {
	s.last = ""
	fmt.Fprintf(s.Out, "\n%s\n", text)
}

// Frame draws a frame in place of the one before, and reports whether it differs from it.
func (s *Screen) Frame(text string) bool {
	text = s.fit(text)
	if text == s.last {
		return false
	}
	rows := strings.Count(s.last, "\n")
	if s.Terminal && rows > 0 {
		fmt.Fprintf(s.Out, "\x1b[%dA\x1b[J", rows)
	} else if s.last != "" {
		fmt.Fprintln(s.Out)
	}
	s.last = text
	fmt.Fprint(s.Out, text)
	return true
}

// fit cuts what does not fit on the terminal.
func (s *Screen) fit(text string) string {
	rows := strings.Count(text, "\n")
	if !s.Terminal || s.Height < 3 || rows < s.Height {
		return text
	}
	end := 0
	for range s.Height - 2 {
		end += strings.IndexByte(text[end:], '\n') + 1
	}
	return fmt.Sprintf("%s… and %s\n", text[:end], english.Count(rows-s.Height+2, "more row"))
}
