// SPDX-License-Identifier: Apache-2.0

package story

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// word is one argument. A quoted one has its quotes and escapes resolved.
type word struct {
	text   string
	quoted bool
}

// split cuts a line into words; a # at the start of a word begins a comment. A quoted part of a word, as in name="a b", may have
// spaces and keeps its quotes.
func split(line string) ([]word, error) {
	var out []word
	for rest := line; ; {
		rest = strings.TrimLeft(rest, " \t\r")
		if rest == "" || rest[0] == '#' {
			return out, nil
		}
		if isQuote(rest[0]) {
			prefix, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return nil, fmt.Errorf("bad quoted text: %.40s (double quotes with the escapes of Go, or back quotes)", rest)
			}
			text, err := strconv.Unquote(prefix)
			if err != nil {
				return nil, fmt.Errorf("bad quoted text %s: %w", prefix, err)
			}
			rest = rest[len(prefix):]
			if rest != "" && !strings.ContainsRune(" \t\r", rune(rest[0])) {
				return nil, fmt.Errorf("no space behind %s", prefix)
			}
			out = append(out, word{text, true})
			continue
		}
		end, err := wordEnd(rest)
		if err != nil {
			return nil, err
		}
		out = append(out, word{text: rest[:end]})
		rest = rest[end:]
	}
}

func isQuote(c byte) bool { return c == '"' || c == '`' }

// wordEnd returns the length of the word that s starts with.
func wordEnd(s string) (int, error) {
	depth := 0 // of YAML brackets: {a: 1, b: 2} stays together
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case isQuote(c):
			prefix, err := strconv.QuotedPrefix(s[i:])
			if err != nil {
				return 0, fmt.Errorf("quote is not closed: %.40s", s[i:])
			}
			i += len(prefix)
			continue
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case depth <= 0 && strings.ContainsRune(" \t\r", rune(c)):
			return i, nil
		}
		i++
	}
	if depth > 0 {
		return 0, errors.New("bracket is not closed")
	}
	return len(s), nil
}
