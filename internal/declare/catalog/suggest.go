// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"strconv"
	"strings"
)

// few is how many candidates are listed when none is near.
const few = 8

// suggest says what may have been meant instead of word: the nearest candidate (the first of equals) as `did you mean
// "x"?`, or else all of them, if they are few, as `use one of "x", "y"`. It is empty if there are no candidates or too
// many.
func suggest(word string, candidates []string) string {
	if near := nearest(word, candidates); near != "" {
		return "did you mean " + strconv.Quote(near) + "?"
	}
	switch {
	case len(candidates) == 0 || len(candidates) > few:
		return ""
	case len(candidates) == 1:
		return "the only one is " + strconv.Quote(candidates[0])
	}
	quoted := make([]string, len(candidates))
	for i, c := range candidates {
		quoted[i] = strconv.Quote(c)
	}
	return "use one of " + strings.Join(quoted, ", ")
}

// Nearest returns the candidate that was most likely meant by a misspelt word, and "" where none is near.
func Nearest(word string, candidates []string) string { return nearest(word, candidates) }

// nearest is the candidate with the smallest distance to word, case apart; empty when even that one differs in more than
// about a third of its characters.
func nearest(word string, candidates []string) string {
	const longest = 100 // no name is longer, and the comparison is quadratic
	if word == "" || len(word) > longest {
		return ""
	}
	best, found := 1<<30, ""
	for _, c := range candidates {
		if len(c) > longest || c == "" {
			continue
		}
		d := distance([]rune(strings.ToLower(word)), []rune(strings.ToLower(c)))
		if limit := (max(len(word), len(c)) + 1) / 3; d <= limit && d < best {
			best, found = d, c
		}
	}
	return found
}

// distance counts the insertions, deletions, replacements and swaps of neighbours that make b of a (optimal string
// alignment). O(len(a) * len(b)).
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
