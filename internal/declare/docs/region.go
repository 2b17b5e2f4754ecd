// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
)

var (
	begin = regexp.MustCompile(`^\s*<!--\s*tristate:begin\s+(\S+)\s*-->\s*$`)
	end   = regexp.MustCompile(`^\s*<!--\s*tristate:end\s*-->\s*$`)
)

// ErrNoRegion is returned for a file without a marked region.
var ErrNoRegion = errors.New("no region begins with <!-- tristate:begin KIND -->")

// Error is a mistake in the marks of regions.
type Error struct {
	File    string
	Line    int
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message) }

// fence is the state of a reader of fenced blocks, in which a mark is only an example.
type fence string

// skip reports whether a line belongs to a fenced block.
func (f *fence) skip(line string) bool {
	line = strings.TrimSpace(line)
	switch inside := *f; {
	case inside != "":
		if strings.HasPrefix(line, string(inside)) {
			*f = ""
		}
		return true
	case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
		*f = fence(line[:3])
		return true
	}
	return false
}

// Marked reports for each line of a Markdown file, from 1, whether it belongs to a marked region.
func Marked(text string) map[int]bool {
	out := map[int]bool{}
	var fenced fence
	inside, n := false, 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if !inside && fenced.skip(line) {
			continue
		}
		inside = inside || begin.MatchString(line)
		out[n] = inside
		inside = inside && !end.MatchString(line)
	}
	return out
}

// Update replaces the marked regions of a Markdown file. Errors are joined, an [Error] each.
func Update(file, text string, kinds []*catalog.Kind) (string, error) {
	var out strings.Builder
	var errs []error
	var fenced fence
	opened, found := 0, false
	fail := func(line int, format string, args ...any) {
		errs = append(errs, &Error{file, line, fmt.Sprintf(format, args...)})
	}
	n := 0
	for line := range strings.Lines(text) {
		n++
		if opened == 0 && fenced.skip(line) {
			out.WriteString(line)
			continue
		}
		switch m := begin.FindStringSubmatch(strings.TrimRight(line, "\r\n")); {
		case m != nil && opened > 0:
			fail(n, "a region begins within the one of line %d", opened)
		case m != nil:
			opened, found = n, true
			content, err := region(m[1], kinds)
			if err != nil {
				fail(n, "%v", err)
			}
			out.WriteString(line + "\n" + content + "\n")
		case end.MatchString(strings.TrimRight(line, "\r\n")):
			if opened == 0 {
				fail(n, "a region ends that did not begin")
			}
			opened = 0
			out.WriteString(line)
		case opened == 0:
			out.WriteString(line)
		}
	}
	if opened > 0 {
		fail(opened, "the region has no end: write <!-- tristate:end -->")
	}
	if !found && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("%s: %w", file, ErrNoRegion))
	}
	return out.String(), errors.Join(errs...)
}

// region returns the content of one region.
func region(what string, kinds []*catalog.Kind) (string, error) {
	if what == "*" {
		var all []string
		for _, k := range kinds {
			if len(k.Source.Spec.Conditions) > 0 {
				all = append(all, kindSection(k))
			}
		}
		return strings.Join(all, "\n"), nil
	}
	wanted, conditionType, one := strings.Cut(what, "/")
	var found *catalog.Kind
	for _, k := range kinds {
		if name(k) != wanted && k.For.Kind != wanted {
			continue
		}
		if found != nil && name(found) == name(k) {
			continue // another version; the first is the preferred one
		}
		if found != nil {
			return "", fmt.Errorf("kind %s is ambiguous: write %s or %s", wanted, name(found), name(k))
		}
		found = k
	}
	if found == nil {
		return "", fmt.Errorf("no catalog for kind %s", wanted)
	}
	if !one {
		return kindSection(found), nil
	}
	c := found.Condition(conditionType)
	if c == nil {
		return "", fmt.Errorf("%s declares no condition %s", name(found), conditionType)
	}
	return typeSection(found, c), nil
}

// Difference returns the first line in which two texts differ, counted from 1, and its two forms; 0 where the texts are equal.
func Difference(have, want string) (line int, has, wants string) {
	if have == want {
		return 0, "", ""
	}
	a, b := strings.Split(have, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		var x, y string
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y || i >= len(a) || i >= len(b) {
			return i + 1, x, y
		}
	}
	return 0, "", ""
}
