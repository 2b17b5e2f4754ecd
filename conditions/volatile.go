// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"slices"
	"strings"
	"time"
)

// Volatile names a part of a message that differs from one pass to the next though nothing happened. Written as it comes,
// it makes a loop: status write, watch event, reconcile, status write.
type Volatile string

// The volatile parts.
const (
	// words of at least 8 hexadecimal digits, of which one is a digit, also with dashes: request ids, UUIDs, pointers
	VolatileIDs       Volatile = "ids"
	VolatileTimes     Volatile = "times"     // RFC 3339 times and dates, and times of day
	VolatileDurations Volatile = "durations" // Go durations, as 1m30s
	VolatileNumbers   Volatile = "numbers"   // whole numbers
	VolatileAddresses Volatile = "addresses" // ports behind an IPv4 address, as in 10.0.0.1:52034->10.0.0.2:443
	VolatileOrder     Volatile = "order"     // the order of the words: of a list whose order is that of a map
)

// sameText reports whether two messages differ in nothing but the volatile parts. Words are separated by spaces, quotes,
// brackets, commas, semicolons and equal signs.
func sameText(a, b string, ignore []Volatile) bool {
	if a == b {
		return true
	}
	if len(ignore) == 0 {
		return false
	}
	return slices.Equal(steadyWords(a, ignore), steadyWords(b, ignore))
}

// steadyWords returns the words and what separates them, with the volatile parts blotted out.
func steadyWords(text string, ignore []Volatile) []string {
	const separators = " \t\r\n\"'`()[]{},;="
	ordered := !slices.Contains(ignore, VolatileOrder)
	var out []string
	for text != "" {
		end := strings.IndexAny(text, separators)
		if end < 0 {
			end = len(text)
		}
		if end > 0 {
			out = append(out, blot(text[:end], ignore))
		}
		text = text[end:]
		gap := len(text) - len(strings.TrimLeft(text, separators))
		if ordered && gap > 0 {
			out = append(out, text[:gap])
		}
		text = text[gap:]
	}
	if !ordered {
		slices.Sort(out)
	}
	return out
}

// blot replaces a volatile word.
func blot(word string, ignore []Volatile) string {
	core := strings.TrimRight(word, ".:!?")
	if core == "" {
		return word
	}
	rest := word[len(core):]
	for _, v := range ignore {
		switch v {
		case VolatileIDs:
			if isID(core) {
				return "<id>" + rest
			}
		case VolatileTimes:
			if isTime(core) {
				return "<time>" + rest
			}
		case VolatileDurations:
			if _, err := time.ParseDuration(core); err == nil && core != "0" {
				return "<duration>" + rest
			}
		case VolatileNumbers:
			if isNumber(core) {
				return "<number>" + rest
			}
		case VolatileAddresses:
			if out, ok := withoutPorts(core); ok {
				return out + rest
			}
		}
	}
	return word
}

func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

func isID(s string) bool {
	s = strings.TrimPrefix(s, "0x")
	hex, digits := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			hex++
			digits++
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			hex++
		case c != '-' || i == 0:
			return false
		}
	}
	return hex >= 8 && digits > 0
}

func isTime(s string) bool {
	for _, layout := range [...]string{time.RFC3339Nano, time.DateOnly, time.TimeOnly} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}

// withoutPorts blots out the ports behind IPv4 addresses.
func withoutPorts(s string) (string, bool) {
	found := false
	parts := strings.Split(s, "->")
	for i, p := range parts {
		host, port, ok := cutLast(p, ':')
		if ok && port != "" && isNumber(port) && strings.Trim(host, "0123456789.") == "" && strings.Count(host, ".") == 3 {
			parts[i], found = host+":<port>", true
		}
	}
	return strings.Join(parts, "->"), found
}

func cutLast(s string, sep byte) (before, after string, found bool) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}
