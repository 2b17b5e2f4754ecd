// SPDX-License-Identifier: Apache-2.0

package verdict

import "slices"

// Without returns an engine like e without some rules of the conventions, by their ids, and some words, to measure their worth.
func (e *Engine) Without(rules []string, words ...Word) *Engine {
	x := e.clone()
	x.without = map[string]bool{}
	for _, id := range rules {
		x.without[id] = true
	}
	if len(words) > 0 {
		x.words = newLexicon(slices.DeleteFunc(Words(), func(w Word) bool { return slices.Contains(words, w) }))
	}
	return x
}

// clone returns an engine with the same exported fields.
func (e *Engine) clone() *Engine {
	return &Engine{Semantics: e.Semantics, Packs: e.Packs, Expect: e.Expect, SchedulingGrace: e.SchedulingGrace, Generic: e.Generic}
}
