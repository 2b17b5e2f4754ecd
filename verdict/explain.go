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
func (e *Engine) Explain(object map[string]any, now time.Time) (Verdict, Explanation) {
	var trace convention.Trace
	read := map[lexicon.Read]bool{}
	words := *e.lexicon()
	words.Read = read
	x := e.clone()
	x.words, x.conventions.Without, x.conventions.Trace = &words, e.conventions.Without, &trace
	v := x.Judge(object, now)
	a := v.answer()
	out := Explanation{Rule: v.Rule}
	if r := convention.Decided(&a); r != nil {
		out.Tier, out.Looks, out.Why = r.Tier.String(), r.Looks, r.Why
	}
	for _, c := range trace.Claims(&a) {
		out.Claims = append(out.Claims, Claim{Rule: c.Rule.ID, Tier: c.Tier.String(), Says: Status(c.Says), Reason: c.Reason,
			Message: c.Message.String(), Evidence: []Evidence{evidenceOf(&c.Fact)}, Fate: c.Fate})
	}
	for w := range read {
		out.Words = append(out.Words, WordRead(w))
	}
	slices.SortFunc(out.Words, func(a, b WordRead) int { return cmp.Or(cmp.Compare(a.Word, b.Word), cmp.Compare(a.In, b.In)) })
	return v, out
}
