// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// lines is the message of a Cluster API v1beta2 merge, entry by entry.
type lines struct {
	b    []byte
	ends []int // of the entries
}

func (l *lines) reset() { l.b, l.ends = l.b[:0], l.ends[:0] }

func (l *lines) begin() {
	if len(l.ends) > 0 {
		l.b = append(l.b, '\n')
	}
}

func (l *lines) end() { l.ends = append(l.ends, len(l.b)) }

// text is the message. One that is not exact keeps to the limit of the API server: whole entries first, with the number of
// those left out. One that is the stored one is that.
func (l *lines) text(exact bool, stored string) string {
	if string(l.b) == stored && (exact || len(stored) <= MaxMessageBytes) && utf8.ValidString(stored) {
		return stored
	}
	if exact || len(l.b) <= MaxMessageBytes {
		if exact {
			return string(l.b)
		}
		return CutMessage(string(l.b), MaxMessageBytes)
	}
	n := len(l.ends)
	for n > 1 && l.ends[n-1] > MaxMessageBytes-reserve {
		n--
	}
	if n == len(l.ends) { // a single one
		return CutMessage(string(l.b), MaxMessageBytes)
	}
	text := CutMessage(string(l.b[:l.ends[n-1]]), MaxMessageBytes-reserve)
	return text + "\n* and " + strconv.Itoa(len(l.ends)-n) + " more"
}

// change replaces the entries.
func (l *lines) change(change func([]string) []string) {
	entries := make([]string, len(l.ends))
	start := 0
	for i, end := range l.ends {
		entries[i] = string(l.b[start:end])
		start = end + 1 // the new line between them
	}
	l.reset()
	for _, entry := range change(entries) {
		l.begin()
		l.b = append(l.b, entry...)
		l.end()
	}
}

// summary writes a line for each input that there is something to say about. Healthy ones are told only where the result is True.
func (l *lines) summary(list []*rated, isTrue bool) {
	for _, r := range list {
		message := messageCAPIv1beta2(r, false)
		if r.weight == weightHealthy && (!isTrue || message == "") {
			continue
		}
		l.begin()
		l.b = append(append(append(l.b, "* "...), r.in.Type...), ':')
		if message == "" {
			l.b = append(append(l.b, ' '), reasonCAPIv1beta2(r)...)
		} else {
			l.nest(message)
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

// maxTexts is how many different texts an aggregate tells, over all kinds.
const maxTexts = 3

// text is what objects of one kind say with the same words.
type text struct {
	subject
	weight weight
	first  bool // said by an object that goes first
	names  []string
}

type subject struct{ kind, message string }

// shared is what the weight of a text is remembered under: upstream forgets which kind said it, which is exact but not right.
func (s subject) shared(exact bool) subject {
	if exact {
		s.kind = ""
	}
	return s
}

// aggregate writes what the objects say: the worst there is, text by text.
func (l *lines) aggregate(list []*rated, exact bool) {
	texts, first := textsOf(list, exact)
	budget := maxTexts
	for len(texts) > 0 {
		n := 1
		for n < len(texts) && texts[n].kind == texts[0].kind {
			n++
		}
		var left [weightHealthy + 1]int
		for i := range texts[:n] {
			t := &texts[i]
			if budget == 0 {
				left[t.weight] += len(t.names)
				continue
			}
			budget--
			l.begin()
			l.heading(t, first)
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

// textsOf gathers the texts in the order in which they are told, and the names that go first. Issues and unknowns are told,
// or what healthy ones say where there are none.
func textsOf(list []*rated, exact bool) ([]text, map[string]bool) {
	of := func(weights ...weight) (pool []*rated) {
		for _, w := range weights {
			for _, r := range list {
				if r.weight == w && (w != weightHealthy || r.message() != "") {
					pool = append(pool, r)
				}
			}
		}
		return pool
	}
	pool := of(weightUnhealthy, weightUnknown)
	if len(pool) == 0 {
		pool = of(weightHealthy)
	}
	first := map[string]bool{}
	places := map[subject]int{}
	known := map[subject]*text{}
	var out []text
	for _, r := range pool {
		s := subject{r.in.Object.Kind, messageCAPIv1beta2(r, true)}
		at, there := places[s]
		if !there {
			at = len(out)
			places[s] = at
			out = append(out, text{subject: s})
		}
		out[at].names = append(out[at].names, r.name)
		k := known[s.shared(exact)]
		if k == nil {
			k = &text{weight: r.weight}
			known[s.shared(exact)] = k
		}
		k.weight = min(k.weight, r.weight)
		if r.in.First {
			k.first = true
			first[r.name] = true
		}
	}
	for i := range out {
		k := known[out[i].shared(exact)]
		out[i].weight, out[i].first = k.weight, k.first
	}
	slices.SortStableFunc(out, byTelling)
	return out, first
}

// byTelling is the order in which texts are told. Of texts that objects of the same names say, the one met first comes first; upstream
// leaves that open.
func byTelling(a, b text) int {
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
func (l *lines) heading(t *text, first map[string]bool) {
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
		if i == MaxNames {
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

// timeOf is when the condition changed; the zero time where there is none.
func timeOf(r *rated) time.Time {
	if r.condition == nil {
		return time.Time{}
	}
	return r.condition.LastTransitionTime.Time
}
