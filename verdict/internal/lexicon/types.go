// SPDX-License-Identifier: Apache-2.0

package lexicon

import (
	"strings"
	"sync/atomic"

	"github.com/tristate/tristate/conditions"
)

// aspect is the subject of a condition type, guessed from its name.
type aspect uint8

// The aspects of a condition type.
const (
	AspectNeutral  aspect = iota // not about health
	AspectPositive               // True is good
	AspectNegative               // True is bad
	AspectActivity               // True is under way
	AspectOff                    // True is off on purpose
	AspectStep                   // True: a step is done, False: it is to come: RolloutStarted
	Aspects
)

// TypeInfo is derived from the name of a condition type.
type TypeInfo struct {
	Aspect aspect
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

// Summary reports whether the type sums up the others.
func (i TypeInfo) Summary() bool { return i.traits&isSummary != 0 }

// Serving reports whether an object whose type is True can be used.
func (i TypeInfo) Serving() bool { return i.traits&isServing != 0 }

// Negated reports whether the name of the type negates a good word.
func (i TypeInfo) Negated() bool { return i.traits&isNegated != 0 }

// Over reports whether the type tells that something ended, with success or without.
func (i TypeInfo) Over() bool { return i.traits&isOver != 0 }

// Quiet reports whether a status of the type is healthy, whatever the reason.
func (i TypeInfo) Quiet(status conditions.Status) bool {
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
	for name := range SetOf(List("summaries")) {
		out[name] = struct{ serving bool }{}
	}
	for name := range SetOf(List("servingSummaries")) {
		out[name] = struct{ serving bool }{true}
	}
	return out
}()

// endTypes are names of conditions that report an end, with success or without.
var endTypes = SetOf(List("endTypes"))

// oddTypes are condition types whose words mislead.
var oddTypes = func() map[string]aspect {
	out := map[string]aspect{}
	for name, a := range map[string]aspect{"oddActivity": AspectActivity, "oddNeutral": AspectNeutral, "oddPositive": AspectPositive,
		"oddNegative": AspectNegative, "oddStep": AspectStep, "oddOff": AspectOff} {
		for typ := range SetOf(List(name)) {
			out[typ] = a
		}
	}
	return out
}()

// AboutType guesses from the words of a type: InfrastructureReady, ReconcileFailed. The last word with a meaning decides, and a negation
// before it reverses it: NotReady.
func (l *Lexicon) AboutType(name string) TypeInfo {
	if s, ok := summaryTypes[name]; ok {
		return TypeInfo{AspectPositive, isSummary | isServing.where(s.serving) | isOver.where(endTypes[name])}
	}
	if endTypes[name] {
		return TypeInfo{AspectPositive, isOver}
	}
	if a, ok := oddTypes[name]; ok {
		return TypeInfo{Aspect: a}
	}
	name = Cut(name, 128)
	found, fallback := AspectNeutral, AspectNeutral
	negated := false
	not, partly, change := false, false, false
	none := len(name) > 2 && name[:2] == "No" && IsUpper(name[2]) // NoDiskPressure: the negation is about all words
	t := Tokenizer{Text: name}
	for b := t.Next(); b != nil; b = t.Next() {
		switch {
		case negations.Has(b), turningWords.Has(b):
			not, partly = true, string(b) == "partially" || string(b) == "partial"
			continue
		case informationWords.Has(b), string(b) == "detected" && found == AspectNeutral: // ChangeDetected: a finding, no aim
			return TypeInfo{}
		}
		change = change || changeWords.Has(b)
		a, ok := l.aspectOfWord(b)
		if !ok {
			if fallback == AspectNeutral && !not {
				fallback = aspectOfEnding(b)
			}
			if string(b) != "of" && !none {
				not = false
			}
			continue
		}
		negated = not && a == AspectPositive
		if not {
			switch a {
			case AspectPositive:
				a = AspectNegative
			case AspectNegative:
				if !partly { // PartiallyInvalid is negative
					a = AspectPositive
				}
			default:
				a = AspectNeutral
			}
			not = false
		}
		found = a
	}
	if strings.HasSuffix(name, "Started") {
		return TypeInfo{Aspect: AspectStep}
	}
	if change && strings.HasSuffix(name, "Available") {
		return TypeInfo{} // UpgradeAvailable: an offer, not health
	}
	if found == AspectNeutral {
		found = fallback
	}
	return TypeInfo{found, isNegated.where(negated && found == AspectNegative)}
}

// Words of types in addition to those of the lexicon.
var (
	turningWords     = SetOf(List("turningWords"))
	informationWords = SetOf(List("informationWords"))
	changeWords      = SetOf(List("changeWords"))
	negativeWords    = SetOf(List("negativeWords"))
	positiveWords    = SetOf(List("positiveWords"))
)

func (l *Lexicon) aspectOfWord(w []byte) (aspect, bool) {
	if string(w) == "init" {
		return AspectNeutral, false // DatabaseInit: a step, and no activity that is under way
	}
	switch l.MeaningOfWord(w) {
	case Good:
		return AspectPositive, true
	case Broken:
		return AspectNegative, true
	case Held:
		return AspectOff, true
	case UnderWay:
		return AspectActivity, true
	}
	switch {
	case negativeWords.Has(w):
		return AspectNegative, true
	case positiveWords.Has(w):
		return AspectPositive, true
	}
	return AspectNeutral, false
}

// aspectOfEnding reads a participle or an ability as positive, and an inability as negative.
func aspectOfEnding(b []byte) aspect {
	n := len(b)
	if n > 8 && string(b[n-4:]) == "able" && (string(b[:2]) == "un" || string(b[:3]) == "irr" || string(b[:3]) == "ill") {
		return AspectNegative
	}
	if n > 4 && string(b[n-2:]) == "ed" || n > 6 && string(b[n-4:]) == "able" {
		return AspectPositive
	}
	return AspectNeutral
}

// quietOf returns the traits for the statuses of a type that need no closer look: no rule has a claim about them, or only the weakest one
// for the object.
func quietOf(info TypeInfo, name string) traits {
	switch info.Aspect {
	case AspectPositive:
		return quietTrue.where(!info.Over() && name != "Running")
	case AspectNeutral, AspectStep:
		return quietTrue
	case AspectNegative, AspectOff:
		return quietFalse
	case AspectActivity:
		return quietFalse.where(name == "Reconciling")
	}
	return 0
}

// TypeCache caches aboutType. It is bounded: an entry is never replaced.
type TypeCache struct {
	Words *Lexicon
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
	info TypeInfo
}

// About returns the meaning of the name of a type, and remembers it.
func (c *TypeCache) About(name string) TypeInfo {
	ends := endsOf(name)
	slot := &c.slots[ends.hash()%uint64(len(c.slots))]
	e := slot.Load()
	if e != nil && e.ends == ends && len(e.name) == len(name) && (len(name) <= 16 || e.name == name) {
		return e.info
	}
	info := c.Words.AboutType(name)
	info.traits |= quietOf(info, name)
	if e == nil && len(name) <= 128 {
		slot.CompareAndSwap(nil, &typeEntry{ends, strings.Clone(name), info})
	}
	return info
}
