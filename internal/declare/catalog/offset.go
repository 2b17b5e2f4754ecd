// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// atOffset returns the position in the file of a character of the string at path, by its line and column (from 1) within
// the string. It is exact for fields that hold expressions, in every style of a string, except for white space that
// folding removed or changed. Elsewhere it is the start of the string.
func (s *Source) atOffset(path string, line, column int) Position {
	for from := column; from >= 1; from-- {
		if p, ok := s.positions[anchor(path, line, from)]; ok {
			p.Column += column - from
			return p
		}
	}
	return s.At(path)
}

// anchor is the key in Source.positions of a character within a string: one from which on, to the end of its line or the
// next anchor, characters of the string and of the file go side by side.
func anchor(path string, line, column int) string {
	return path + "\x00" + strconv.Itoa(line) + ":" + strconv.Itoa(column)
}

// anchors enters the anchors of the string that node n holds. It goes through the string and its notation in parallel: white
// space matches white space, an escape its character, everything else itself; and stops where that fails.
func (d *decoder) anchors(path string, n *yaml.Node) {
	if d.text == nil {
		return
	}
	at := d.text.offset(n.Line, n.Column)
	raw, style := notation(d.text.data[at:])
	at = len(d.text.data) - len(raw)
	value, line, column := n.Value, 1, 1
	mark := func() { d.source.positions[anchor(path, line, column)] = d.text.position(at) }
	mark()
	for value != "" {
		if isSpace(value[0]) {
			end := at
			for value != "" && isSpace(value[0]) {
				if column++; value[0] == '\n' {
					line, column = line+1, 1
				}
				value = value[1:]
			}
			at += skipSpace(d.text.data[at:], style)
			if value == "" {
				at = end
			}
			mark()
			continue
		}
		want, size := utf8.DecodeRuneInString(value)
		if rest := d.text.data[at:]; style == '"' && len(rest) > 1 && rest[0] == '\\' && breakAt(rest[1:]) > 0 {
			at += skipSpace(d.text.data[at:], style) // a line continued without a space
			mark()
		}
		got, width := character(d.text.data[at:], style)
		if got != want {
			return
		}
		escaped := utf8.RuneCount(d.text.data[at:at+width]) > 1
		if at, column, value = at+width, column+1, value[size:]; escaped {
			mark()
		}
	}
}

// notation skips the beginning of the notation of a string: tag, anchor, opening quote, header of a block. The style
// is ' or " in quotes and 0 otherwise.
func notation(raw []byte) (rest []byte, style byte) {
	for len(raw) > 0 && (raw[0] == '!' || raw[0] == '&') {
		for len(raw) > 0 && !isSpace(raw[0]) && breakAt(raw) == 0 {
			raw = raw[1:]
		}
		raw = raw[skipSpace(raw, 0):]
	}
	if len(raw) == 0 {
		return raw, 0
	}
	switch raw[0] {
	case '\'', '"':
		return raw[1:], raw[0]
	case '|', '>':
		for len(raw) > 0 && breakAt(raw) == 0 {
			raw = raw[1:]
		}
		return raw[skipSpace(raw, 0):], 0
	}
	return raw, 0
}

// character reads one character of a string and how many bytes its notation has.
func character(raw []byte, style byte) (rune, int) {
	if len(raw) > 1 && style == '\'' && raw[0] == '\'' && raw[1] == '\'' {
		return '\'', 2
	}
	if len(raw) < 2 || style != '"' || raw[0] != '\\' {
		return utf8.DecodeRune(raw)
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[raw[1]]
	if digits > 0 && len(raw) >= 2+digits {
		code, err := strconv.ParseUint(string(raw[2:2+digits]), 16, 32)
		if err != nil || code > utf8.MaxRune {
			return utf8.RuneError, 2
		}
		return rune(code), 2 + digits
	}
	named := map[byte]rune{'0': 0, 'a': 7, 'b': 8, 't': 9, '\t': 9, 'n': 10, 'v': 11, 'f': 12, 'r': 13, 'e': 27, ' ': ' ', '"': '"',
		'/': '/', '\\': '\\', '\'': '\'', 'N': 0x85, '_': 0xA0, 'L': 0x2028, 'P': 0x2029}
	if r, ok := named[raw[1]]; ok {
		return r, 2
	}
	return utf8.RuneError, 2
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// skipSpace returns the length of the white space, also escaped, that raw begins with.
func skipSpace(raw []byte, style byte) int {
	n := 0
	for n < len(raw) {
		if isSpace(raw[n]) {
			n++
			continue
		}
		if b := breakAt(raw[n:]); b > 0 {
			n += b
			continue
		}
		if style != '"' || raw[n] != '\\' {
			break
		}
		if b := breakAt(raw[n+1:]); b > 0 {
			n += 1 + b
			continue
		}
		r, width := character(raw[n:], style)
		if r != ' ' && r != '\t' && r != '\n' && r != '\r' {
			break
		}
		n += width
	}
	return n
}
