// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// meaning is the implication of a word of a reason, a state or a type for an object.
type meaning uint8

const (
	meaningNone     meaning = iota // nothing
	meaningGood                    // reached: Ready, Synced, Succeeded
	meaningNotSo                   // the negation of a good word: NotReady
	meaningHeld                    // off on purpose: Paused, Suspended
	meaningUnderWay                // under way or to come: Creating, Pending
	meaningNotKnown                // not known to the author either: Unknown
	meaningBroken                  // broken: Failed, Invalid

	meaningUnread meaning = 255 // not read yet
)

var meaningNames = [...]string{meaningNone: "nothing", meaningGood: "good", meaningNotSo: "not-so", meaningHeld: "held",
	meaningUnderWay: "under-way", meaningNotKnown: "not-known", meaningBroken: "broken"}

// String returns the name of a meaning.
func (m meaning) String() string {
	if int(m) < len(meaningNames) {
		return meaningNames[m]
	}
	return ""
}

// Words that change the meaning of others.
var (
	negations = setOf(list("negations"))
	adverbs   = setOf(list("adverbs"))
	// decisions are words whose negation is final rather than a state that may pass: not found, not accepted.
	decisions     = setOf(list("decisions"))
	startWords    = setOf(list("startWords"))
	impairedWords = setOf(list("impairedWords"))
	stateNouns    = setOf(list("stateNouns"))
)

const (
	maxWords   = 96  // bytes of a reason, a state or a type that are read
	maxMessage = 400 // bytes of a message that are read
)

// tokenizer splits text into lower-case words: at case changes, at anything that is no letter, and between letters and digits. It allocates
// nothing; a word is valid until the next call.
type tokenizer struct {
	text string
	pos  int
	buf  [24]byte
}

// next returns the next word, cut at 24 bytes, or nil at the end.
func (t *tokenizer) next() []byte {
	s := t.text
	i := t.pos
	for i < len(s) && !isLetter(s[i]) {
		i++
	}
	start := i
	n := 0
	for i < len(s) && isLetter(s[i]) {
		if i > start && isUpper(s[i]) {
			lowerBefore := !isUpper(s[i-1])
			// The last capital of a run starts a new word if a lower-case letter follows: OOMKilled, HTTPError. A plural s of an acronym stays with
			// it.
			lowerAfter := i+1 < len(s) && isLetter(s[i+1]) && !isUpper(s[i+1])
			if lowerBefore || lowerAfter {
				break
			}
		}
		if n < len(t.buf) {
			t.buf[n] = s[i] | 0x20
			n++
		}
		i++
	}
	t.pos = i
	if n == 0 {
		return nil
	}
	return t.buf[:n]
}

// prose is next for a sentence. It skips the names of fields, as spec.strategy.maxUnavailable.
func (t *tokenizer) prose() []byte {
	for {
		i := t.pos
		for i < len(t.text) && !isLetter(t.text[i]) {
			i++
		}
		end := fieldEnd(t.text, i)
		if end == i {
			return t.next()
		}
		t.pos = end
	}
}

// fieldEnd returns the end of the name of a field that starts at i, or i if none does. Such a name is in lower case with a capital letter
// or a dot inside.
func fieldEnd(s string, i int) int {
	if i > 0 && isLetter(s[i-1]) || i >= len(s) || isUpper(s[i]) {
		return i
	}
	end, field := i, false
scan:
	for ; end < len(s); end++ {
		switch c := s[end]; {
		case isUpper(c), c == '.' && end+1 < len(s) && isLetter(s[end+1]):
			field = true
		case !isLetter(c) && (c < '0' || c > '9'):
			break scan
		}
	}
	if field {
		return end
	}
	return i
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isUpper(c byte) bool  { return c >= 'A' && c <= 'Z' }

// isActivity reports whether a word has the ending of an activity.
func isActivity(w []byte) bool { return len(w) >= 6 && string(w[len(w)-3:]) == "ing" }

// meaningOfWord returns the meaning of a lower-case word, or else that of its ending.
func (l *lexicon) meaningOfWord(w []byte) meaning {
	if m, ok := l.words[string(w)]; ok {
		l.note("word", w, m)
		return m
	}
	if isActivity(w) {
		l.note("ending", w, meaningUnderWay)
		return meaningUnderWay
	}
	if len(w) >= 6 && string(w[:2]) == "un" {
		if l.words[string(w[2:])] == meaningGood {
			return meaningNotSo
		}
		if len(w) > 8 && string(w[len(w)-4:]) == "able" {
			l.note("ending", w, meaningBroken)
			return meaningBroken
		}
	}
	return meaningNone
}

// negated returns the meaning of the negation.
func (m meaning) negated() meaning {
	switch m {
	case meaningGood:
		return meaningNotSo
	case meaningBroken:
		return meaningGood
	case meaningHeld, meaningUnderWay, meaningNotKnown:
		return meaningNone
	}
	return m
}

// asks reports whether a reason is one of being held, or of waiting for a person.
func (l *lexicon) asks(reason string) bool {
	return reason != "" && (askWords.in(reason) || l.meaningOf(reason) == meaningHeld)
}

// askWords are words for what only a person does; programs acknowledge and confirm as well.
var askWords = setOf(list("askWords"))

// meaningOf returns the strongest meaning among the words of a reason or a state, with regard to negations: of meanings that contradict
// each other the worse one counts, except that good after words of activity (WaitingForReady) stays under way.
func (l *lexicon) meaningOf(text string) meaning {
	if m, ok := l.phrases[text]; ok {
		l.note("whole", []byte(text), m)
		return m
	}
	text = cut(text, maxWords)
	if waitsFor(text) {
		return meaningUnderWay
	}
	t := tokenizer{text: text}
	best, last := meaningNone, meaningNone
	not := false
	for w := t.next(); w != nil; w = t.next() {
		switch {
		case negations.has(w):
			not = true
			continue
		case not && string(w) == "yet":
			best = max(best, meaningUnderWay)
			continue
		case not && adverbs.has(w):
			continue
		}
		m := l.meaningOfWord(w)
		if not {
			m = m.negated()
			switch {
			case decisions.has(w):
				m = meaningBroken
			case string(w) == "up", string(w) == "started":
				m = meaningNotSo
			}
			not = false
		} else if m != meaningGood {
			m = pair(w, m, &t)
		}
		best, last = max(best, m), m
		if strings.HasSuffix(string(w), "ing") {
			last = meaningNone // Hibernating is under way
		}
	}
	if best == meaningUnderWay && last == meaningHeld {
		return meaningHeld // RolloutPaused: an activity that is held
	}
	return best
}

// waitsFor reports whether a reason begins with a wait: WaitingForStartupTimeout, WaitForFirstConsumer. It may wait for anything, a timeout
// too.
func waitsFor(text string) bool {
	t := tokenizer{text: text}
	switch string(t.next()) {
	case "wait", "waits", "waiting":
	case "awaiting":
		return true
	default:
		return false
	}
	switch string(t.next()) {
	case "for", "on", "until", "to":
		return true
	}
	return false
}

// pair returns the meaning of a word that the next one changes: something else serves in place of an object that has failed over, a limit
// that is reached is a failure, and a temporary error is retried.
func pair(w []byte, m meaning, t *tokenizer) meaning {
	to, then := meaningNone, ""
	switch string(w) {
	case "failed":
		to, then = meaningGood, "over"
	case "fail", "failing":
		to, then = meaningUnderWay, "over"
	case "limit":
		to, then = meaningBroken, "reached"
	case "temporary", "transient":
		to, then = meaningUnderWay, "error"
	default:
		return m
	}
	after := *t
	if string(after.next()) != then {
		return m
	}
	*t = after
	return to
}

// meaningOfMessage returns the meaning of a sentence: that of its first word that has one, as the rest explains it. Good words of a
// sentence prove nothing. That something is not ready, or that there are fewer than wanted, counts if no other word has a meaning.
func (l *lexicon) meaningOfMessage(text string) meaning {
	text = cut(text, maxMessage)
	if strings.Contains(text, ": waiting for ") && !strings.Contains(text, "timed out") {
		return meaningUnderWay // the last part of a chain of errors counts, and it is no error
	}
	t := tokenizer{text: text}
	not := false
	rest := meaningNone
	if first := t; l.meaningOfWord(first.next()) == meaningUnderWay {
		rest = meaningNotSo // Restoring backup
	}
	for w := t.prose(); w != nil; w = t.prose() {
		switch {
		case negations.has(w):
			not = true
			continue
		case not && string(w) == "in":
			continue // not in ACTIVE state
		case not:
			not = false
			switch {
			case decisions.has(w):
				return meaningBroken
			case string(w) == "yet":
				return meaningUnderWay
			case l.meaningOfWord(w) == meaningGood, string(w) == "up":
				rest = meaningNotSo
			}
			continue
		}
		if m := l.classifyWord(&t, w); m != meaningNone {
			return m
		}
		if isActivity(w) && beforeStateNoun(t.text[t.pos:]) {
			return meaningUnderWay
		}
	}
	if rest == meaningNone && (hasFewer(text) || strings.Contains(text, "minimum availability")) {
		rest = meaningNotSo
	}
	return rest
}

// beforeStateNoun reports whether the word before a text is the name of a state: in 'modifying' state.
func beforeStateNoun(rest string) bool {
	after, ok := strings.CutPrefix(strings.TrimLeft(rest, "'\"`"), " ")
	t := tokenizer{text: after}
	return ok && after != "" && isLetter(after[0]) && stateNouns.has(t.next())
}

// classifyWord returns the meaning of a word of a sentence, the one that was read last.
func (l *lexicon) classifyWord(t *tokenizer, w []byte) meaning {
	if string(w) == "can" && strings.HasPrefix(t.text[t.pos:], "'t") {
		return meaningBroken
	}
	m, ok := l.sentence[string(w)]
	if ok {
		l.note("message", w, m)
	}
	return m
}

// hasFewer reports whether a sentence has a count that is lower than wanted: 1 of 3, 1/3, only 1. 0/3 is none: a scheduler writes it where
// no node fits.
func hasFewer(text string) bool {
	for i := 0; i < len(text); {
		have, n := leadingNumber(text[i:])
		if n == 0 || i > 0 && !besideNumber(text[i-1]) {
			i += max(n, 1)
			continue
		}
		if strings.HasSuffix(text[:i], "only ") {
			return true
		}
		i += n
		for _, sep := range [...]string{" of ", "/", " out of "} {
			rest, ok := strings.CutPrefix(text[i:], sep)
			if want, n := leadingNumber(rest); ok && n > 0 && (n == len(rest) || besideNumber(rest[n])) && have < want && (have > 0 || sep != "/") {
				return true
			}
		}
	}
	return false
}

// leadingNumber reads a number of at most six digits, and returns how many it has.
func leadingNumber(s string) (v, n int) {
	for n < len(s) && n < 6 && s[n] >= '0' && s[n] <= '9' {
		v = v*10 + int(s[n]-'0')
		n++
	}
	return v, n
}

// besideNumber reports whether c may stand next to a count.
func besideNumber(c byte) bool { return strings.IndexByte(" ()[],;:", c) >= 0 }

// meaningOfState is meaningOf for the value of a state field. In a task, which ends, running is under way.
func (l *lexicon) meaningOfState(value string, task bool) meaning {
	m := l.meaningOf(value)
	switch {
	case !task && strings.EqualFold(value, "started"):
		return meaningGood // as running is
	case task && m == meaningGood && startWords.in(value):
		return meaningUnderWay
	}
	return m
}

// impaired reports whether an object in a bad state may serve: Degraded, PartiallyReady.
func (l *lexicon) impaired(state string) bool {
	t := tokenizer{text: state}
	partly, good := false, false
	for w := t.next(); w != nil; w = t.next() {
		if impairedWords.has(w) {
			return true
		}
		if string(w) == "partial" || string(w) == "partially" {
			partly = true
			continue
		}
		switch l.meaningOfWord(w) {
		case meaningGood:
			good = true
		case meaningBroken:
			return false
		}
	}
	return partly && good
}

// meaningOfHead is meaningOf for the text before a colon, which the rest explains. Anything longer than a few words is prose, and anything
// that starts with a digit is a count.
func (l *lexicon) meaningOfHead(value string) meaning {
	head, _, _ := strings.Cut(value, ":")
	if head == "" || len(head) > 48 || head[0] >= '0' && head[0] <= '9' {
		return meaningNone
	}
	return l.meaningOf(head)
}
