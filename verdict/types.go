// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"strings"
	"sync/atomic"

	"github.com/tristate/tristate/conditions"
)

// aspect is the subject of a condition type, guessed from its name.
type aspect uint8

const (
	aspectNeutral  aspect = iota // not about health
	aspectPositive               // True is good
	aspectNegative               // True is bad
	aspectActivity               // True is under way
	aspectOff                    // True is off on purpose
	aspectStep                   // True: a step is done, False: it is to come: RolloutStarted
	aspects
)

// typeInfo is derived from the name of a condition type.
type typeInfo struct {
	aspect aspect
	traits traits
}

// traits are further properties of a condition type, a bit each.
type traits uint8

const (
	isSummary  traits = 1 << iota // a usual name of the top-level condition
	isServing                     // such a name, by which the object can be used: not only its spec was accepted
	isNegated                     // the negation of a positive name: NotReady
	isOver                        // it reports an end, with success or without
	quietTrue                     // True is healthy and needs no closer look
	quietFalse                    // False is
)

func (i typeInfo) summary() bool { return i.traits&isSummary != 0 }
func (i typeInfo) serving() bool { return i.traits&isServing != 0 }
func (i typeInfo) negated() bool { return i.traits&isNegated != 0 }
func (i typeInfo) over() bool    { return i.traits&isOver != 0 }

// quiet reports whether a status of the type is healthy, whatever the reason.
func (i typeInfo) quiet(status conditions.Status) bool {
	switch status {
	case conditions.True:
		return i.traits&quietTrue != 0
	case conditions.False:
		return i.traits&quietFalse != 0
	}
	return false
}

// where returns the traits if they hold.
func (t traits) where(holds bool) traits {
	if holds {
		return t
	}
	return 0
}

// summaryTypes are the usual names of top-level conditions: False outranks any other condition that is True.
var summaryTypes = func() map[string]struct{ serving bool } {
	out := map[string]struct{ serving bool }{}
	for name := range setOf(list("summaries")) {
		out[name] = struct{ serving bool }{}
	}
	for name := range setOf(list("servingSummaries")) {
		out[name] = struct{ serving bool }{true}
	}
	return out
}()

// endTypes are names of conditions that report an end, with success or without.
var endTypes = setOf(list("endTypes"))

// oddTypes are condition types whose words mislead.
var oddTypes = func() map[string]aspect {
	out := map[string]aspect{}
	for name, a := range map[string]aspect{"oddActivity": aspectActivity, "oddNeutral": aspectNeutral, "oddPositive": aspectPositive,
		"oddNegative": aspectNegative, "oddStep": aspectStep, "oddOff": aspectOff} {
		for typ := range setOf(list(name)) {
			out[typ] = a
		}
	}
	return out
}()

// aboutType guesses from the words of a type: InfrastructureReady, ReconcileFailed. The last word with a meaning decides, and a negation
// before it reverses it: NotReady.
func (l *lexicon) aboutType(name string) typeInfo {
	if s, ok := summaryTypes[name]; ok {
		return typeInfo{aspectPositive, isSummary | isServing.where(s.serving) | isOver.where(endTypes[name])}
	}
	if endTypes[name] {
		return typeInfo{aspectPositive, isOver}
	}
	if a, ok := oddTypes[name]; ok {
		return typeInfo{aspect: a}
	}
	name = cut(name, 128)
	found, fallback := aspectNeutral, aspectNeutral
	negated := false
	not, partly, change := false, false, false
	none := len(name) > 2 && name[:2] == "No" && isUpper(name[2]) // NoDiskPressure: the negation is about all words
	t := tokenizer{text: name}
	for b := t.next(); b != nil; b = t.next() {
		switch {
		case negations.has(b), turningWords.has(b):
			not, partly = true, string(b) == "partially" || string(b) == "partial"
			continue
		case informationWords.has(b), string(b) == "detected" && found == aspectNeutral: // ChangeDetected: a finding, no aim
			return typeInfo{}
		}
		change = change || changeWords.has(b)
		a, ok := l.aspectOfWord(b)
		if !ok {
			if fallback == aspectNeutral && !not {
				fallback = aspectOfEnding(b)
			}
			if string(b) != "of" && !none {
				not = false
			}
			continue
		}
		negated = not && a == aspectPositive
		if not {
			switch a {
			case aspectPositive:
				a = aspectNegative
			case aspectNegative:
				if !partly { // PartiallyInvalid is negative
					a = aspectPositive
				}
			default:
				a = aspectNeutral
			}
			not = false
		}
		found = a
	}
	if strings.HasSuffix(name, "Started") {
		return typeInfo{aspect: aspectStep}
	}
	if change && strings.HasSuffix(name, "Available") {
		return typeInfo{} // UpgradeAvailable: an offer, not health
	}
	if found == aspectNeutral {
		found = fallback
	}
	return typeInfo{found, isNegated.where(negated && found == aspectNegative)}
}

// LooksGood reports whether a status of a condition type is the healthy one, as far as its words show: True of a positive type, False of a
// negative one. A type about an activity has none.
func LooksGood(conditionType string, status conditions.Status) bool {
	switch defaultLexicon.aboutType(conditionType).aspect {
	case aspectPositive:
		return conditions.Positive.Good(status)
	case aspectNegative:
		return conditions.Negative.Good(status)
	}
	return false
}

// Words of types in addition to those of the lexicon.
var (
	turningWords     = setOf(list("turningWords"))
	informationWords = setOf(list("informationWords"))
	changeWords      = setOf(list("changeWords"))
	negativeWords    = setOf(list("negativeWords"))
	positiveWords    = setOf(list("positiveWords"))
)

func (l *lexicon) aspectOfWord(w []byte) (aspect, bool) {
	if string(w) == "init" {
		return aspectNeutral, false // DatabaseInit: a step, and no activity that is under way
	}
	switch l.meaningOfWord(w) {
	case meaningGood:
		return aspectPositive, true
	case meaningBroken:
		return aspectNegative, true
	case meaningHeld:
		return aspectOff, true
	case meaningUnderWay:
		return aspectActivity, true
	}
	switch {
	case negativeWords.has(w):
		return aspectNegative, true
	case positiveWords.has(w):
		return aspectPositive, true
	}
	return aspectNeutral, false
}

// aspectOfEnding reads a participle or an ability as positive, and an inability as negative.
func aspectOfEnding(b []byte) aspect {
	n := len(b)
	if n > 8 && string(b[n-4:]) == "able" && (string(b[:2]) == "un" || string(b[:3]) == "irr" || string(b[:3]) == "ill") {
		return aspectNegative
	}
	if n > 4 && string(b[n-2:]) == "ed" || n > 6 && string(b[n-4:]) == "able" {
		return aspectPositive
	}
	return aspectNeutral
}

// quietOf returns the traits for the statuses of a type that need no closer look: no rule has a claim about them, or only the weakest one
// for the object.
func quietOf(info typeInfo, name string) traits {
	switch info.aspect {
	case aspectPositive:
		return quietTrue.where(!info.over() && name != "Running")
	case aspectNeutral, aspectStep:
		return quietTrue
	case aspectNegative, aspectOff:
		return quietFalse
	case aspectActivity:
		return quietFalse.where(name == "Reconciling")
	}
	return 0
}

// typeCache caches aboutType. It is bounded: an entry is never replaced.
type typeCache struct {
	words *lexicon
	slots [512]atomic.Pointer[typeEntry]
}

// typeEnds are the first and last eight bytes of a type, which distinguish types; they are all of one with at most 16.
type typeEnds struct{ first, last uint64 }

func endsOf(s string) (e typeEnds) {
	if n := len(s); n >= 8 {
		return typeEnds{load8(s), load8(s[n-8:])}
	}
	for i := range len(s) {
		e.first = e.first<<8 | uint64(s[i])
	}
	return e
}

func (e typeEnds) hash() uint64 {
	return (e.first ^ e.last*0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd >> 40
}

func load8(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

type typeEntry struct {
	ends typeEnds
	name string
	info typeInfo
}

func (c *typeCache) about(name string) typeInfo {
	ends := endsOf(name)
	slot := &c.slots[ends.hash()%uint64(len(c.slots))]
	e := slot.Load()
	if e != nil && e.ends == ends && len(e.name) == len(name) && (len(name) <= 16 || e.name == name) {
		return e.info
	}
	info := c.words.aboutType(name)
	info.traits |= quietOf(info, name)
	if e == nil && len(name) <= 128 {
		slot.CompareAndSwap(nil, &typeEntry{ends, strings.Clone(name), info})
	}
	return info
}
