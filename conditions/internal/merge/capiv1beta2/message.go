// SPDX-License-Identifier: Apache-2.0

package capiv1beta2

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tristate/tristate/conditions/internal/merge"
)

// lines is the message of a Cluster API v1beta2 merge, entry by entry.
type lines struct {
	b    []byte
	ends []int // of the entries
}

func (l *lines) begin() {
	if len(l.ends) > 0 {
		l.b = append(l.b, '\n')
	}
}

func (l *lines) end() { l.ends = append(l.ends, len(l.b)) }

// text is the message. One that is not exact keeps to the limit of the API server: whole entries first, with the number of
// those left out. One that is the stored one is that.
func (l *lines) text(exact bool, stored string) string {
	if string(l.b) == stored && (exact || len(stored) <= merge.MaxMessage) && utf8.ValidString(stored) {
		return stored
	}
	if exact || len(l.b) <= merge.MaxMessage {
		if exact {
			return string(l.b)
		}
		return merge.Cut(string(l.b), merge.MaxMessage)
	}
	n := len(l.ends)
	for n > 1 && l.ends[n-1] > merge.MaxMessage-merge.Reserve {
		n--
	}
	if n == len(l.ends) { // a single one
		return merge.Cut(string(l.b), merge.MaxMessage)
	}
	text := merge.Cut(string(l.b[:l.ends[n-1]]), merge.MaxMessage-merge.Reserve)
	return text + "\n* and " + strconv.Itoa(len(l.ends)-n) + " more"
}

// summary writes a line for each item that has a message or is not healthy. Healthy items are listed only where the result is True.
func (l *lines) summary(list []*merge.Item, isTrue bool) {
	for _, r := range list {
		text := message(r, false)
		if r.Weight == merge.Healthy && (!isTrue || text == "") {
			continue
		}
		l.begin()
		l.b = append(append(append(l.b, "* "...), r.Type...), ':')
		if text == "" {
			l.b = append(append(l.b, ' '), reason(r)...)
		} else {
			l.nest(text)
		}
		l.end()
	}
}

// nest writes a message behind a heading: a single line on the same one, anything else as a list below it.
func (l *lines) nest(message string) {
	if !strings.Contains(message, "\n") && !bullet(message) {
		l.b = append(append(l.b, ' '), message...)
		return
	}
	all := true
	for line := range strings.SplitSeq(message, "\n") {
		all = all && bullet(line)
	}
	for line := range strings.SplitSeq(message, "\n") {
		prefix := "  "
		switch {
		case all:
		case bullet(line):
			prefix = "    "
		default:
			prefix = "  * "
		}
		l.b = append(append(append(l.b, '\n'), prefix...), line...)
	}
}

// bullet reports whether the line holds an asterisk with white space behind it, anywhere.
func bullet(line string) bool {
	for i := range len(line) - 1 {
		if line[i] == '*' && strings.IndexByte(" \t\f\r", line[i+1]) >= 0 {
			return true
		}
	}
	return false
}

// maxTexts is how many different texts an aggregate lists, over all kinds.
const maxTexts = 3

// text is one text that objects of a kind have in common.
type text struct {
	subject
	weight merge.Weight
	first  bool // of an object that is named before others
	names  []string
}

type subject struct{ kind, message string }

// shared is the key of the weight of a text. The library ignores the kind, which is wrong; an exact merge repeats that.
func (s subject) shared(exact bool) subject {
	if exact {
		s.kind = ""
	}
	return s
}

// aggregate writes the texts of the objects: issues and unknowns, or the infos where there is neither.
func (l *lines) aggregate(m *merge.Merge) {
	texts, first := textsOf(m.Items, m.Exact)
	budget := maxTexts
	for len(texts) > 0 {
		n := 1
		for n < len(texts) && texts[n].kind == texts[0].kind {
			n++
		}
		var left [merge.Healthy + 1]int
		for i := range texts[:n] {
			t := &texts[i]
			if budget == 0 {
				left[t.weight] += len(t.names)
				continue
			}
			budget--
			l.begin()
			l.heading(t, first, m.MaxNames)
			l.nest(t.message)
			l.end()
		}
		for w, words := range [...]string{"with other issues", "with status unknown", "with additional info"} {
			if left[w] == 0 {
				continue
			}
			l.begin()
			l.b = strconv.AppendInt(append(l.b, "And "...), int64(left[w]), 10)
			l.b = append(append(l.b, ' '), numbered(texts[0].kind, left[w])...)
			l.b = append(append(l.b, ' '), words...)
			l.end()
		}
		texts = texts[n:]
	}
}

// textsOf returns the texts in the order in which they are listed, and the names that come before others. Issues and unknowns are listed,
// or the messages of healthy items where there are none.
func textsOf(list []*merge.Item, exact bool) ([]text, map[string]bool) {
	of := func(weights ...merge.Weight) (pool []*merge.Item) {
		for _, w := range weights {
			for _, r := range list {
				if r.Weight == w && (w != merge.Healthy || r.Message() != "") {
					pool = append(pool, r)
				}
			}
		}
		return pool
	}
	pool := of(merge.Unhealthy, merge.Unknown)
	if len(pool) == 0 {
		pool = of(merge.Healthy)
	}
	first := map[string]bool{}
	positions := map[subject]int{}
	shared := map[subject]*text{}
	var out []text
	for _, r := range pool {
		s := subject{r.Object.Kind, message(r, true)}
		at, there := positions[s]
		if !there {
			at = len(out)
			positions[s] = at
			out = append(out, text{subject: s})
		}
		out[at].names = append(out[at].names, r.Name)
		k := shared[s.shared(exact)]
		if k == nil {
			k = &text{weight: r.Weight}
			shared[s.shared(exact)] = k
		}
		k.weight = min(k.weight, r.Weight)
		if r.First {
			k.first = true
			first[r.Name] = true
		}
	}
	for i := range out {
		k := shared[out[i].shared(exact)]
		out[i].weight, out[i].first = k.weight, k.first
	}
	slices.SortStableFunc(out, compareTexts)
	return out, first
}

// compareTexts is the order in which texts are listed. Of texts of objects with the same names the one met first comes first; the library
// leaves that open.
func compareTexts(a, b text) int {
	if c := strings.Compare(a.kind, b.kind); c != 0 {
		return c
	}
	if a.first != b.first {
		if a.first {
			return -1
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(a.weight, b.weight),
		-cmp.Compare(len(a.names), len(b.names)),
		strings.Compare(strings.Join(a.names, ","), strings.Join(b.names, ",")))
}

// heading writes "* Kind a:" or "* Kinds a, b, c, ... (2 more):".
func (l *lines) heading(t *text, first map[string]bool, most int) {
	names := slices.Clone(t.names)
	slices.SortFunc(names, func(a, b string) int {
		if first[a] != first[b] {
			if first[a] {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	l.b = append(append(l.b, "* "...), numbered(t.kind, len(names))...)
	for i, name := range names {
		if i == most {
			l.b = strconv.AppendInt(append(l.b, ", ... ("...), int64(len(names)-i), 10)
			l.b = append(l.b, " more)"...)
			break
		}
		if i > 0 {
			l.b = append(l.b, ',')
		}
		l.b = append(append(l.b, ' '), name...)
	}
	l.b = append(l.b, ':')
}

// numbered is the kind, in plural unless there is one.
func numbered(kind string, n int) string {
	if n == 1 {
		return kind
	}
	return plural(kind)
}
