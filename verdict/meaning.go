// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// sense is what a word of a reason, a phase or a type says about an object.
type meaning uint8

const (
	meaningNone     meaning = iota // says nothing
	meaningGood                    // reached: Ready, Synced, Succeeded
	meaningNotSo                   // the negation of a good word: NotReady
	meaningHeld                    // off on purpose: Paused, Suspended
	meaningUnderWay                // under way or to come: Creating, Pending
	meaningNotKnown                // the author does not know: Unknown
	meaningBroken                  // broken: Failed, Invalid

	meaningUnread meaning = 255 // not read yet
)

// words cuts text into lower-case words: at case changes, at anything that is no letter, and between letters and
// digits. It allocates nothing; the yielded bytes are valid until the next call.
type words struct {
	text string
	pos  int
	buf  [24]byte
}

// next returns the next word, cut at 24 bytes, or nil at the end.
func (w *words) next() []byte {
	s := w.text
	i := w.pos
	for i < len(s) && !isLetter(s[i]) {
		i++
	}
	start := i
	n := 0
	for i < len(s) && isLetter(s[i]) {
		if i > start && isUpper(s[i]) {
			lowerBefore := !isUpper(s[i-1])
			// The last capital of a run starts a new word where a lower-case letter follows: OOMKilled, HTTPError. A
			// plural s of an acronym stays with it.
			lowerAfter := i+1 < len(s) && isLetter(s[i+1]) && !isUpper(s[i+1])
			if lowerBefore || lowerAfter {
				break
			}
		}
		if n < len(w.buf) {
			w.buf[n] = s[i] | 0x20
			n++
		}
		i++
	}
	w.pos = i
	if n == 0 {
		return nil
	}
	return w.buf[:n]
}

// prose is next for a sentence. It passes over the names of fields, which are no words: spec.strategy.maxUnavailable.
func (w *words) prose() []byte {
	for {
		i := w.pos
		for i < len(w.text) && !isLetter(w.text[i]) {
			i++
		}
		end := fieldEnd(w.text, i)
		if end == i {
			return w.next()
		}
		w.pos = end
	}
}

// fieldEnd is the end of the name of a field that starts at i, or i where none does: a word in lower case with a capital letter or a dot
// inside it.
func fieldEnd(s string, i int) int {
	if i > 0 && isLetter(s[i-1]) || i >= len(s) || isUpper(s[i]) {
		return i
	}
	end, field := i, false
	for ; end < len(s); end++ {
		switch c := s[end]; {
		case isUpper(c):
			field = true
		case c == '.' && end+1 < len(s) && isLetter(s[end+1]):
			field = true
		case !isLetter(c) && (c < '0' || c > '9'):
			if field {
				return end
			}
			return i
		}
	}
	if field {
		return end
	}
	return i
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isUpper(c byte) bool  { return c >= 'A' && c <= 'Z' }

// senseOfWord looks a lower-case word up, and falls back to its ending.
func (x *lexicon) meaningOfWord(w []byte) meaning {
	if s, ok := x.words[string(w)]; ok {
		if x.read != nil {
			x.note("word", string(w), s)
		}
		return s
	}
	if len(w) >= 6 && string(w[len(w)-3:]) == "ing" {
		if x.read != nil {
			x.note("ending", string(w), meaningUnderWay)
		}
		return meaningUnderWay
	}
	if len(w) >= 6 && string(w[:2]) == "un" {
		if x.words[string(w[2:])] == meaningGood {
			return meaningNotSo
		}
		if len(w) > 8 && string(w[len(w)-4:]) == "able" {
			if x.read != nil {
				x.note("ending", string(w), meaningBroken)
			}
			return meaningBroken // what cannot be
		}
	}
	return meaningNone
}

// negation says whether a word turns the sense of the next word around.
func negation(w []byte) bool {
	switch string(w) {
	case "not", "no", "non", "never", "isn", "aren", "without", "zero":
		return true
	}
	return false
}

// negated is the sense of the opposite.
func (s meaning) negated() meaning {
	switch s {
	case meaningGood:
		return meaningNotSo
	case meaningBroken:
		return meaningGood
	case meaningHeld, meaningUnderWay, meaningNotKnown:
		return meaningNone
	}
	return s
}

// senseOf returns the strongest sense among the words of a reason or phase, minding negations: of senses that contradict
// each other the worse one counts, except that good after busy words (WaitingForReady) stays busy.
func (x *lexicon) meaningOf(text string) meaning {
	if s, ok := x.phrases[text]; ok {
		if x.read != nil {
			x.note("whole", text, s)
		}
		return s
	}
	if len(text) > maxWords {
		text = text[:maxWords]
	}
	if waitsFor(text) {
		return meaningUnderWay
	}
	w := words{text: text}
	best, last := meaningNone, meaningNone
	not := false
	for b := w.next(); b != nil; b = w.next() {
		if negation(b) {
			not = true
			continue
		}
		if not && notYet(b) {
			best = max(best, meaningUnderWay)
			continue
		}
		if not && adverb(b) {
			continue
		}
		s := x.meaningOfWord(b)
		if not {
			s = s.negated()
			switch {
			case decision(b):
				s = meaningBroken
			case string(b) == "up", string(b) == "started":
				s = meaningNotSo
			}
			not = false
		} else if s != meaningGood {
			s = pair(b, s, &w)
		}
		best, last = max(best, s), s
		if strings.HasSuffix(string(b), "ing") {
			last = meaningNone // Hibernating is on its way
		}
	}
	if best == meaningUnderWay && last == meaningHeld {
		return meaningHeld // RolloutPaused: what was under way is held
	}
	return best
}

// waitsFor reports whether a reason begins with a wait: WaitingForStartupTimeout, WaitForFirstConsumer. What is waited for may be
// anything, a timeout too.
func waitsFor(text string) bool {
	w := words{text: text}
	switch string(w.next()) {
	case "wait", "waits", "waiting":
	case "awaiting":
		return true
	default:
		return false
	}
	switch string(w.next()) {
	case "for", "on", "until", "to":
		return true
	}
	return false
}

// pair returns the sense of a word that another one behind it changes: what has failed over is served by something else, and a limit
// that is reached is none of the good things that are.
func pair(b []byte, s meaning, w *words) meaning {
	to, then := meaningNone, ""
	switch string(b) {
	case "failed":
		to, then = meaningGood, "over"
	case "fail", "failing":
		to, then = meaningUnderWay, "over"
	case "limit":
		to, then = meaningBroken, "reached"
	case "temporary", "transient":
		to, then = meaningUnderWay, "error" // which is tried again
	default:
		return s
	}
	after := *w
	if string(after.next()) != then {
		return s
	}
	*w = after
	return to
}

func notYet(w []byte) bool { return string(w) == "yet" }

// adverb says whether a word only stands between a negation and what it negates: not fully applied.
func adverb(b []byte) bool {
	switch string(b) {
	case "been", "be", "being", "fully", "all", "completely", "entirely", "currently":
		return true
	}
	return false
}

// decision says whether the negation of a word is a verdict rather than a state that may pass: not found, not accepted.
func decision(w []byte) bool {
	switch string(w) {
	case "found", "exist", "exists", "supported", "allowed", "permitted", "authorized", "enough", "valid", "accepted",
		"admitted", "approved", "resolved", "satisfied", "verified", "compatible", "compliant", "matching", "match", "fit", "reachable",
		"correctly", "properly", "usable":
		return true
	}
	return false
}

const maxWords = 96

// senseOfMessage reads the words of a sentence: the first one that says something wins, because what follows is
// explanation. Good words of a sentence prove nothing; that something is not ready, or that there are fewer than there should
// be, says so much where no other word says more.
func (x *lexicon) meaningOfMessage(text string) meaning {
	if len(text) > maxMessage {
		text = text[:maxMessage]
	}
	if strings.Contains(text, ": waiting for ") && !strings.Contains(text, "timed out") {
		return meaningUnderWay // of a chain of errors the last one counts, and it is none
	}
	w := words{text: text}
	not := false
	rest := meaningNone
	if first := w; x.meaningOfWord(first.next()) == meaningUnderWay {
		rest = meaningNotSo // Restoring backup
	}
	for b := w.prose(); b != nil; b = w.prose() {
		if negation(b) {
			not = true
			continue
		}
		if not && string(b) == "in" {
			continue // not in ACTIVE state
		}
		if not {
			not = false
			if decision(b) {
				return meaningBroken
			}
			if notYet(b) {
				return meaningUnderWay
			}
			if x.meaningOfWord(b) == meaningGood || string(b) == "up" {
				rest = meaningNotSo
			}
			continue
		}
		if s := x.classifyWord(&w, b); s != meaningNone {
			return s
		}
		if len(b) >= 6 && string(b[len(b)-3:]) == "ing" && named(w.text[w.pos:]) {
			return meaningUnderWay
		}
	}
	if rest == meaningNone && (fewer(text) || strings.Contains(text, "minimum availability")) {
		rest = meaningNotSo
	}
	return rest
}

// named reports whether the word before a text is the name of a state: in 'modifying' state.
func named(rest string) bool {
	after, ok := strings.CutPrefix(strings.TrimLeft(rest, "'\"`"), " ")
	if w := (words{text: after}); ok && after != "" && isLetter(after[0]) {
		switch string(w.next()) {
		case "state", "status", "phase":
			return true
		}
	}
	return false
}

// told is the sense of a word of a sentence, the one that was read last.
func (x *lexicon) classifyWord(w *words, b []byte) meaning {
	if string(b) == "can" && strings.HasPrefix(w.text[w.pos:], "'t") {
		return meaningBroken
	}
	s, ok := x.sentence[string(b)]
	if ok {
		if x.read != nil {
			x.note("message", string(b), s)
		}
	}
	return s
}

// fewer says whether a sentence tells that there are fewer than there should be: 1 of 3, 1/3, only 1. But 0/3 is what a
// scheduler says that found no place.
func fewer(text string) bool {
	for i := 0; i < len(text); {
		have, n := leadingNumber(text[i:])
		if n == 0 || i > 0 && !boundary(text[i-1]) {
			i += max(n, 1)
			continue
		}
		if strings.HasSuffix(text[:i], "only ") {
			return true
		}
		i += n
		for _, sep := range [...]string{" of ", "/", " out of "} {
			rest, ok := strings.CutPrefix(text[i:], sep)
			if want, n := leadingNumber(rest); ok && n > 0 && (n == len(rest) || boundary(rest[n])) && have < want && (have > 0 || sep != "/") {
				return true
			}
		}
	}
	return false
}

// leadingNumber reads a number of at most six digits, and says how many.
func leadingNumber(s string) (v, n int) {
	for n < len(s) && n < 6 && s[n] >= '0' && s[n] <= '9' {
		v = v*10 + int(s[n]-'0')
		n++
	}
	return v, n
}

// boundary says whether a number may stand beside c.
func boundary(c byte) bool {
	switch c {
	case ' ', '(', ')', '[', ']', ',', ';', ':':
		return true
	}
	return false
}

const maxMessage = 400

// senseOfState is senseOf for the value of a state field. Of a task that ends, running is under way.
func (x *lexicon) meaningOfState(value string, run bool) meaning {
	s := x.meaningOf(value)
	if !run && strings.EqualFold(value, "started") {
		return meaningGood // reached, like running
	}
	if run && s == meaningGood {
		w := words{text: value}
		for b := w.next(); b != nil; b = w.next() {
			switch string(b) {
			case "running", "started", "active", "scheduled", "created", "initialized":
				return meaningUnderWay
			}
		}
	}
	return s
}

// impaired says whether a bad state is one in which an object serves all the same: Degraded, PartiallyReady.
func (x *lexicon) impaired(state string) bool {
	w := words{text: state}
	partly, well := false, false
	for b := w.next(); b != nil; b = w.next() {
		switch string(b) {
		case "degraded", "impaired", "warn", "warning":
			return true
		case "partial", "partially":
			partly = true
			continue
		}
		switch x.meaningOfWord(b) {
		case meaningGood:
			well = true
		case meaningBroken:
			return false
		}
	}
	return partly && well
}

// senseOfEnd is the sense of what stands before a colon: what follows is explanation. What is longer than a few words is prose, and
// what starts with a digit is a count.
func (x *lexicon) meaningOfHead(value string) meaning {
	head, _, _ := strings.Cut(value, ":")
	if head == "" || len(head) > 48 || head[0] >= '0' && head[0] <= '9' {
		return meaningNone
	}
	return x.meaningOf(head)
}
