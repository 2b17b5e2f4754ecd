// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"cmp"
	"slices"
	"time"

	"github.com/tristate/tristate/verdict/internal/convention"
	"github.com/tristate/tristate/verdict/internal/lexicon"
)

// An Explanation shows how the conventions reach their verdict on an object.
type Explanation struct {
	// Rule is the rule that decided: one of the conventions, or a rule of the kind that takes precedence over them.
	Rule string `json:"rule"`
	// Tier, Looks and Why are those of the rule, if it is a convention.
	Tier  string `json:"tier,omitempty"`
	Looks string `json:"looksAt,omitempty"`
	Why   string `json:"why,omitempty"`
	// Claims are the claims of all rules, the highest first.
	Claims []Claim `json:"claims,omitempty"`
	// Words are the words that were read, in alphabetical order.
	Words []WordRead `json:"words,omitempty"`
}

// A Claim is the status that a rule claims for an object.
type Claim struct {
	Rule     string     `json:"rule"`
	Tier     string     `json:"tier"`
	Says     Status     `json:"says"`
	Reason   string     `json:"reason,omitempty"`
	Message  string     `json:"message,omitempty"`
	Evidence []Evidence `json:"evidence,omitempty"`
	// Fate is "decides", "outranked", or "set aside" and the reason.
	Fate string `json:"fate"`
}

// A WordRead is a word that was looked up.
type WordRead struct {
	Word    string `json:"word"`
	Meaning string `json:"meaning"`
	// In is where it was read: "word" in reasons, states and types, "message" in sentences, "whole" as a whole value, "ending" for a word that
	// is not listed and ends in -ing, or begins with un- and ends in -able.
	In string `json:"in"`
}

// Explain judges an object like [Engine.Judge], slower, and explains the verdict.
func (e *Engine) Explain(object map[string]any, now time.Time) (v Verdict, out Explanation) {
	x, words := e.Without(nil), *e.lexicon()
	words.Read = map[lexicon.Read]bool{}
	x.words, x.conventions.Without, x.conventions.Trace = &words, e.conventions.Without, new(convention.Trace)
	var j judgement
	j.run(x, now, object)
	v = Verdict(j.Answer.Verdict)
	out.Rule = v.Rule
	if r := convention.Decided(&j.Answer); r != nil {
		out.Tier, out.Looks, out.Why = r.Tier.String(), r.Looks, r.Why
	}
	for _, c := range x.conventions.Trace.Claims(&j.Answer) {
		out.Claims = append(out.Claims, Claim{Rule: c.Rule.ID, Tier: c.Tier.String(), Says: c.Says, Reason: c.Reason,
			Message: c.Message.String(), Evidence: []Evidence{{Path: c.Fact.Path(), Value: c.Fact.N.Interface()}}, Fate: c.Fate})
	}
	for w := range words.Read {
		out.Words = append(out.Words, WordRead(w))
	}
	slices.SortFunc(out.Words, func(a, b WordRead) int { return cmp.Or(cmp.Compare(a.Word, b.Word), cmp.Compare(a.In, b.In)) })
	return v, out
}

// Without returns an engine like e without some rules of the conventions, by their ids, and some words, to measure their worth.
func (e *Engine) Without(rules []string, words ...Word) *Engine {
	x := &Engine{Semantics: e.Semantics, Packs: e.Packs, Expect: e.Expect, SchedulingGrace: e.SchedulingGrace, ReadAt: e.ReadAt,
		Generic: e.Generic}
	x.conventions.Without = map[string]bool{}
	for _, id := range rules {
		x.conventions.Without[id] = true
	}
	if len(words) > 0 {
		x.words = lexicon.New(slices.DeleteFunc(Words(), func(w Word) bool { return slices.Contains(words, w) }))
	}
	return x
}
