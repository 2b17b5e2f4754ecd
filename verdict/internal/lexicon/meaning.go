// SPDX-License-Identifier: Apache-2.0

package lexicon

import "strings"

// Meaning is the implication of a word of a reason, a state or a type for an object.
type Meaning uint8

// The meanings, the mildest first.
const (
	None     Meaning = iota // nothing
	Good                    // reached: Ready, Synced, Succeeded
	NotSo                   // the negation of a good word: NotReady
	Held                    // off on purpose: Paused, Suspended
	UnderWay                // under way or to come: Creating, Pending
	NotKnown                // not known to the author either: Unknown
	Broken                  // broken: Failed, Invalid

	Unread Meaning = 255 // not read yet
)

var meaningNames = [...]string{None: "nothing", Good: "good", NotSo: "not-so", Held: "held",
	UnderWay: "under-way", NotKnown: "not-known", Broken: "broken"}

// String returns the name of a meaning.
func (m Meaning) String() string {
	if int(m) < len(meaningNames) {
		return meaningNames[m]
	}
	return ""
}

// Words that change the meaning of others.
var (
	negations = SetOf(List("negations"))
	adverbs   = SetOf(List("adverbs"))
	// decisions are words whose negation is final rather than a state that may pass: not found, not accepted.
	decisions     = SetOf(List("decisions"))
	startWords    = SetOf(List("startWords"))
	impairedWords = SetOf(List("impairedWords"))
	stateNouns    = SetOf(List("stateNouns"))
)

// Longer texts are cut.
const (
	MaxWords   = 96  // bytes of a reason, a state or a type that are read
	maxMessage = 400 // bytes of a message that are read
)

// Tokenizer splits text into lower-case words: at case changes, at anything that is no letter, and between letters and digits. It allocates
// nothing; a word is valid until the next call.
type Tokenizer struct {
	Text string
	pos  int
	buf  [24]byte
}

// Next returns the next word, cut at 24 bytes, or nil at the end.
func (t *Tokenizer) Next() []byte {
	s := t.Text
	i := t.pos
	for i < len(s) && !IsLetter(s[i]) {
		i++
	}
	start := i
	n := 0
	for i < len(s) && IsLetter(s[i]) {
		if i > start && IsUpper(s[i]) {
			lowerBefore := !IsUpper(s[i-1])
			// The last capital of a run starts a new word if a lower-case letter follows: OOMKilled, HTTPError. A plural s of an acronym stays with
			// it.
			lowerAfter := i+1 < len(s) && IsLetter(s[i+1]) && !IsUpper(s[i+1])
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
func (t *Tokenizer) prose() []byte {
	for {
		i := t.pos
		for i < len(t.Text) && !IsLetter(t.Text[i]) {
			i++
		}
		end := fieldEnd(t.Text, i)
		if end == i {
			return t.Next()
		}
		t.pos = end
	}
}

// fieldEnd returns the end of the name of a field that starts at i, or i if none does. Such a name is in lower case with a capital letter
// or a dot inside.
func fieldEnd(s string, i int) int {
	if i > 0 && IsLetter(s[i-1]) || i >= len(s) || IsUpper(s[i]) {
		return i
	}
	end, field := i, false
scan:
	for ; end < len(s); end++ {
		switch c := s[end]; {
		case IsUpper(c), c == '.' && end+1 < len(s) && IsLetter(s[end+1]):
			field = true
		case !IsLetter(c) && (c < '0' || c > '9'):
			break scan
		}
	}
	if field {
		return end
	}
	return i
}

// IsLetter reports whether a byte is a letter of ASCII.
func IsLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// IsUpper reports whether a byte is a capital letter of ASCII.
func IsUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// isActivity reports whether a word has the ending of an activity.
func isActivity(w []byte) bool { return len(w) >= 6 && string(w[len(w)-3:]) == "ing" }

// MeaningOfWord returns the meaning of a lower-case word, or else that of its ending.
func (l *Lexicon) MeaningOfWord(w []byte) Meaning {
	if m, ok := l.words[string(w)]; ok {
		l.note("word", w, m)
		return m
	}
	if isActivity(w) {
		l.note("ending", w, UnderWay)
		return UnderWay
	}
	if len(w) >= 6 && string(w[:2]) == "un" {
		if l.words[string(w[2:])] == Good {
			return NotSo
		}
		if len(w) > 8 && string(w[len(w)-4:]) == "able" {
			l.note("ending", w, Broken)
			return Broken
		}
	}
	return None
}

// negated returns the meaning of the negation.
func (m Meaning) negated() Meaning {
	switch m {
	case Good:
		return NotSo
	case Broken:
		return Good
	case Held, UnderWay, NotKnown:
		return None
	}
	return m
}

// Asks reports whether a reason is one of being held, or of waiting for a person.
func (l *Lexicon) Asks(reason string) bool {
	return reason != "" && (askWords.In(reason) || l.MeaningOf(reason) == Held)
}

// askWords are words for what only a person does; programs acknowledge and confirm as well.
var askWords = SetOf(List("askWords"))

// MeaningOf returns the strongest meaning among the words of a reason or a state, with regard to negations: of meanings that contradict
// each other the worse one counts, except that good after words of activity (WaitingForReady) stays under way.
func (l *Lexicon) MeaningOf(text string) Meaning {
	if m, ok := l.phrases[text]; ok {
		l.note("whole", []byte(text), m)
		return m
	}
	text = Cut(text, MaxWords)
	if waitsFor(text) {
		return UnderWay
	}
	t := Tokenizer{Text: text}
	best, last := None, None
	not := false
	for w := t.Next(); w != nil; w = t.Next() {
		switch {
		case negations.Has(w):
			not = true
			continue
		case not && string(w) == "yet":
			best = max(best, UnderWay)
			continue
		case not && adverbs.Has(w):
			continue
		}
		m := l.MeaningOfWord(w)
		if not {
			m = m.negated()
			switch {
			case decisions.Has(w):
				m = Broken
			case string(w) == "up", string(w) == "started":
				m = NotSo
			}
			not = false
		} else if m != Good {
			m = pair(w, m, &t)
		}
		best, last = max(best, m), m
		if strings.HasSuffix(string(w), "ing") {
			last = None // Hibernating is under way
		}
	}
	if best == UnderWay && last == Held {
		return Held // RolloutPaused: an activity that is held
	}
	return best
}

// waitsFor reports whether a reason begins with a wait: WaitingForStartupTimeout, WaitForFirstConsumer. It may wait for anything, a timeout
// too.
func waitsFor(text string) bool {
	t := Tokenizer{Text: text}
	switch string(t.Next()) {
	case "wait", "waits", "waiting":
	case "awaiting":
		return true
	default:
		return false
	}
	switch string(t.Next()) {
	case "for", "on", "until", "to":
		return true
	}
	return false
}

// pair returns the meaning of a word that the next one changes: something else serves in place of an object that has failed over, a limit
// that is reached is a failure, and a temporary error is retried.
func pair(w []byte, m Meaning, t *Tokenizer) Meaning {
	to, then := None, ""
	switch string(w) {
	case "failed":
		to, then = Good, "over"
	case "fail", "failing":
		to, then = UnderWay, "over"
	case "limit":
		to, then = Broken, "reached"
	case "temporary", "transient":
		to, then = UnderWay, "error"
	default:
		return m
	}
	after := *t
	if string(after.Next()) != then {
		return m
	}
	*t = after
	return to
}

// MeaningOfMessage returns the meaning of a sentence: that of its first word that has one, as the rest explains it. Good words of a
// sentence prove nothing. That something is not ready, or that there are fewer than wanted, counts if no other word has a meaning.
func (l *Lexicon) MeaningOfMessage(text string) Meaning {
	text = Cut(text, maxMessage)
	if strings.Contains(text, ": waiting for ") && !strings.Contains(text, "timed out") {
		return UnderWay // the last part of a chain of errors counts, and it is no error
	}
	t := Tokenizer{Text: text}
	not := false
	rest := None
	if first := t; l.MeaningOfWord(first.Next()) == UnderWay {
		rest = NotSo // Restoring backup
	}
	for w := t.prose(); w != nil; w = t.prose() {
		switch {
		case negations.Has(w):
			not = true
			continue
		case not && string(w) == "in":
			continue // not in ACTIVE state
		case not:
			not = false
			switch {
			case decisions.Has(w):
				return Broken
			case string(w) == "yet":
				return UnderWay
			case l.MeaningOfWord(w) == Good, string(w) == "up":
				rest = NotSo
			}
			continue
		}
		if m := l.classifyWord(&t, w); m != None {
			return m
		}
		if isActivity(w) && beforeStateNoun(t.Text[t.pos:]) {
			return UnderWay
		}
	}
	if rest == None && (hasFewer(text) || strings.Contains(text, "minimum availability")) {
		rest = NotSo
	}
	return rest
}

// beforeStateNoun reports whether the word before a text is the name of a state: in 'modifying' state.
func beforeStateNoun(rest string) bool {
	after, ok := strings.CutPrefix(strings.TrimLeft(rest, "'\"`"), " ")
	t := Tokenizer{Text: after}
	return ok && after != "" && IsLetter(after[0]) && stateNouns.Has(t.Next())
}

// classifyWord returns the meaning of a word of a sentence, the one that was read last.
func (l *Lexicon) classifyWord(t *Tokenizer, w []byte) Meaning {
	if string(w) == "can" && strings.HasPrefix(t.Text[t.pos:], "'t") {
		return Broken
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

// MeaningOfState is meaningOf for the value of a state field. In a task, which ends, running is under way.
func (l *Lexicon) MeaningOfState(value string, task bool) Meaning {
	m := l.MeaningOf(value)
	switch {
	case !task && strings.EqualFold(value, "started"):
		return Good // as running is
	case task && m == Good && startWords.In(value):
		return UnderWay
	}
	return m
}

// Impaired reports whether an object in a bad state may serve: Degraded, PartiallyReady.
func (l *Lexicon) Impaired(state string) bool {
	t := Tokenizer{Text: state}
	partly, good := false, false
	for w := t.Next(); w != nil; w = t.Next() {
		if impairedWords.Has(w) {
			return true
		}
		if string(w) == "partial" || string(w) == "partially" {
			partly = true
			continue
		}
		switch l.MeaningOfWord(w) {
		case Good:
			good = true
		case Broken:
			return false
		}
	}
	return partly && good
}

// MeaningOfHead is meaningOf for the text before a colon, which the rest explains. Anything longer than a few words is prose, and anything
// that starts with a digit is a count.
func (l *Lexicon) MeaningOfHead(value string) Meaning {
	head, _, _ := strings.Cut(value, ":")
	if head == "" || len(head) > 48 || head[0] >= '0' && head[0] <= '9' {
		return None
	}
	return l.MeaningOf(head)
}

// ContainsFold reports whether s contains word, which is in lower case, in any letter case.
func ContainsFold(s, word string) bool {
	for i := 0; i+len(word) <= len(s); i++ {
		if s[i]|0x20 == word[0] && strings.EqualFold(s[i:i+len(word)], word) {
			return true
		}
	}
	return false
}
