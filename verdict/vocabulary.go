// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/lexicon"
)

// A Word is an entry of the lexicon.
type Word struct {
	// In is where the word counts: "word" in reasons, states and types, "message" in sentences, "both" in either, "whole" as a whole value.
	In string
	// Meaning is "good", "not-so", "held", "under-way", "not-known", "broken" or "nothing".
	Meaning string
	Word    string
	// Example is a value that has the word, of the vocabulary of a vendor where one is known.
	Example string
	// Keep is the reason to keep a word without which the verdict on no object of any corpus changes; empty for any other.
	Keep string
}

// Words lists the entries of the lexicon.
func Words() []Word {
	var out []Word
	for _, w := range lexicon.Words() {
		out = append(out, Word(w))
	}
	return out
}

// LooksGood reports whether a status of a condition type is the healthy one, as far as its words show: True of a positive type, False of a
// negative one. A type about an activity has none.
func LooksGood(conditionType string, status conditions.Status) bool {
	switch lexicon.Default.AboutType(conditionType).Aspect {
	case lexicon.AspectPositive:
		return conditions.Positive.Good(status)
	case lexicon.AspectNegative:
		return conditions.Negative.Good(status)
	}
	return false
}
