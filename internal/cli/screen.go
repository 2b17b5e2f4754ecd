// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"strings"
)

// screen writes lines that stay and, below them, a frame that is drawn again in place. Where the output is no terminal, and where a
// frame is taller than it, every frame stays and the next one follows.
//
//	line       stays, scrolls away
//	line
//	┌────────┐
//	│ frame  │ the last one
//	└────────┘
type screen struct {
	out      io.Writer
	terminal bool
	height   int // of the terminal in rows; 0: unknown
	last     string
}

// Line writes a line above the frame.
func (s *screen) Line(text string) {
	if s.last == "" || !s.terminal {
		fmt.Fprintln(s.out, text)
		return
	}
	frame := s.last
	s.erase()
	fmt.Fprintln(s.out, text)
	s.Frame(frame)
}

// Frame draws a frame in place of the one before, and says whether it differs from it.
func (s *screen) Frame(text string) bool {
	if text == s.last {
		return false
	}
	if s.terminal {
		s.erase()
	} else {
		fmt.Fprintln(s.out)
	}
	fmt.Fprint(s.out, text)
	if s.last = text; s.height > 0 && strings.Count(text, "\n") >= s.height {
		s.last = ""
	}
	return true
}

// Leave lets the frame stay where it is.
func (s *screen) Leave() { s.last = "" }

// erase removes the frame.
func (s *screen) erase() {
	if rows := strings.Count(s.last, "\n"); rows > 0 {
		fmt.Fprintf(s.out, "\x1b[%dA\x1b[J", rows)
	}
	s.last = ""
}
