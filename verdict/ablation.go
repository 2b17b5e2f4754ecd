// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"slices"

	"github.com/tristate/tristate/verdict/internal/lexicon"
)

// Without returns an engine like e without some rules of the conventions, by their ids, and some words, to measure their worth.
func (e *Engine) Without(rules []string, words ...Word) *Engine {
	x := e.clone()
	x.conventions.Without = map[string]bool{}
	for _, id := range rules {
		x.conventions.Without[id] = true
	}
	if len(words) > 0 {
		x.words = lexicon.New(slices.DeleteFunc(lexicon.Words(), func(w lexicon.Word) bool { return slices.Contains(words, Word(w)) }))
	}
	return x
}

// clone returns an engine with the same exported fields.
func (e *Engine) clone() *Engine {
	return &Engine{Semantics: e.Semantics, Packs: e.Packs, Expect: e.Expect, SchedulingGrace: e.SchedulingGrace, Generic: e.Generic}
}
