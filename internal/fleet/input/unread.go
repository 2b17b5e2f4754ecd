// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bytes"
	"io"
)

// unread is a reader whose next bytes can be looked at.
type unread struct {
	front []byte // what was read and not used
	in    io.Reader
	chunk []byte // for one reading; those of a file share it, as most documents are small
}

// Read is a method of io.Reader.
func (u *unread) Read(p []byte) (int, error) {
	switch {
	case len(u.front) > 0:
		n := copy(p, u.front)
		u.front = u.front[n:]
		return n, nil
	case u.in == nil:
		return 0, io.EOF
	}
	return u.in.Read(p)
}

// extend adds text to the front, and reports whether there was more.
func (u *unread) extend() bool {
	for u.in != nil {
		n, err := u.in.Read(u.chunk)
		u.front = append(u.front, u.chunk[:n]...)
		if n > 0 || err != nil {
			return n > 0
		}
	}
	return false
}

// fill reports whether there is more text, and then has some in front.
func (u *unread) fill() bool { return len(u.front) > 0 || u.extend() }

// skip drops at most n bytes and returns how many.
func (u *unread) skip(n int64) (skipped int64) {
	for skipped < n && u.fill() {
		some := min(n-skipped, int64(len(u.front)))
		u.front, skipped = u.front[some:], skipped+some
	}
	return skipped
}

// skipLine drops the rest of a line with its end, and returns how many bytes.
func (u *unread) skipLine() (skipped int64) {
	for u.fill() {
		if end := bytes.IndexByte(u.front, '\n'); end >= 0 {
			return skipped + u.skip(int64(end)+1)
		}
		skipped += u.skip(int64(len(u.front)))
	}
	return skipped
}

// line returns the next line with its end; nothing at the end of the text.
func (u *unread) line() []byte {
	for from := 0; ; {
		if end := bytes.IndexByte(u.front[from:], '\n'); end >= 0 {
			end += from + 1
			line := u.front[:end:end]
			u.front = u.front[end:]
			return line
		}
		if from = len(u.front); !u.extend() {
			line := u.front
			u.front = nil
			return line
		}
	}
}

// toContent skips lines that are empty, comments or directives. It returns how many bytes these were, and whether there are others.
func (u *unread) toContent() (skipped int64, ok bool) {
	for u.fill() {
		line, _, ends := bytes.Cut(u.front, []byte("\n"))
		switch text := bytes.TrimSpace(line); {
		case len(text) == 0 && !ends:
			if !u.extend() {
				return skipped, false
			}
		case len(text) == 0, text[0] == '#', text[0] == '%':
			skipped += u.skipLine()
		default:
			return skipped, true
		}
	}
	return skipped, false
}

// toNextValue skips to the next line that begins with an object, and reports whether there is one.
func (u *unread) toNextValue() (skipped int64, more bool) {
	for {
		n := u.skipLine()
		skipped += n
		switch {
		case n == 0:
			return skipped, false
		case u.fill() && u.front[0] == '{':
			return skipped, true
		}
	}
}
