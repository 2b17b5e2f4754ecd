// SPDX-License-Identifier: Apache-2.0

package stage

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Excerpt holds the block after "<!-- demo -->" on a page to what a story printed: each of its lines is printed, in this order. Times and ages
// do not count, nor the blanks that align columns.
func Excerpt(page, printed string) error {
	_, rest, _ := strings.Cut(page, "<!-- demo -->\n```\n")
	excerpt, _, found := strings.Cut(rest, "```\n")
	if !found {
		return errors.New("the page has no excerpt of the demo")
	}
	have := strings.Split(timeless(printed), "\n")
	for line := range strings.Lines(excerpt) {
		line = timeless(strings.TrimRight(line, "\n"))
		at := 0
		for at < len(have) && have[at] != line {
			at++
		}
		if at == len(have) {
			return fmt.Errorf("the demo does not print, or not there:\n%s\nit prints\n%s", line, printed)
		}
		have = have[at+1:]
	}
	return nil
}

// ages are what differs from one run to the next, with the blanks that align columns.
var ages = regexp.MustCompile(`\(?\b\d+(ms|s|m)\b\)?|\d{4}-\d\d-\d\dT[0-9:]*Z| +`)

func timeless(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(ages.ReplaceAllString(line, " "))
	}
	return strings.Join(lines, "\n")
}
