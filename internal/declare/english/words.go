// SPDX-License-Identifier: Apache-2.0

// Package english splits names into words and writes numbers with their nouns. Checks compare names by their words, not by their meaning.
// Nouns are regular ones, in lower case; nothing is translated.
//
//	english.Words("HTTPSReady")  // https, ready
//	english.Count(0, "entry")    // 0 entries
package english

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Words returns the words of a CamelCase, snake or kebab name in lower case. A run of capitals is one word.
func Words(name string) []string {
	var out []string
	runes := []rune(name)
	from := 0
	flush := func(to int) {
		if to > from {
			out = append(out, strings.ToLower(string(runes[from:to])))
		}
		from = to
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush(i)
			from = i + 1
		case i > 0 && unicode.IsUpper(r) && !unicode.IsUpper(runes[i-1]):
			flush(i)
		case i > 0 && i+1 < len(runes) && unicode.IsUpper(r) && unicode.IsLower(runes[i+1]) && unicode.IsUpper(runes[i-1]):
			flush(i)
		}
	}
	flush(len(runes))
	return out
}

// IsPascal reports whether a name is written in PascalCase: a capital first, then letters and digits.
func IsPascal(name string) bool {
	for i, r := range name {
		if i == 0 && !unicode.IsUpper(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return name != ""
}

// Key returns the words of a name without their endings, in alphabetical order: names that mean the same probably share it. SpecInvalid and
// InvalidSpec, DependencyMissing and MissingDependencies, TimedOut and Timeout have one key each.
func Key(name string) string {
	parts := Words(name)
	for i, w := range parts {
		parts[i] = stem(w)
	}
	joined := strings.Join(parts, "")
	switch joined { // written as one word or two
	case "timout", "timeout", "timedout":
		return "timeout"
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

// stem cuts the inflection off an English word.
func stem(w string) string {
	for _, e := range []struct{ ending, instead string }{
		{"ies", "y"}, {"ching", "ch"}, {"sses", "ss"}, {"ing", ""}, {"ed", ""}, {"es", "e"}, {"s", ""},
	} {
		if root, ok := strings.CutSuffix(w, e.ending); ok && len(root) > 2 && !strings.HasSuffix(w, "ss") {
			w = root + e.instead
			break
		}
	}
	return strings.TrimSuffix(w, "e")
}

// Count returns a number with its noun, which is given in the singular.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + Plural(noun)
}

// Plural returns the plural of a regular noun in lower case.
func Plural(noun string) string {
	switch {
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "x"), strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "sh"):
		return noun + "es"
	case strings.HasSuffix(noun, "y") && len(noun) > 1 && !strings.ContainsRune("aeiou", rune(noun[len(noun)-2])):
		return noun[:len(noun)-1] + "ies"
	}
	return noun + "s"
}
