// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"cmp"
	"slices"
	"time"

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
	var list []claim
	read := map[lexicon.Read]bool{}
	words := *e.lexicon()
	words.Read = read
	x := e.clone()
	x.without, x.words, x.trace = e.without, &words, &list
	v := x.Judge(object, now)
	out := Explanation{Rule: v.Rule}
	if r := v.rule; r != nil && r.ID == v.Rule {
		out.Tier, out.Looks, out.Why = r.Tier.String(), r.Looks, r.Why
	}
	slices.SortStableFunc(list, rank)
	decided := false
	for i := range list {
		c := &list[i]
		if c.c.Type != "" && c.reason == "" {
			c.reason, c.msg = cmp.Or(c.c.Reason(), c.c.Type), c.c.text()
		}
		one := Claim{Rule: c.rule.ID, Tier: c.tier.String(), Says: c.says, Reason: c.reason, Message: c.msg.String(), Fate: "outranked"}
		if c.at == atCondition {
			c.b, c.n = "status", c.c.n.get("status")
		}
		one.Evidence = []Evidence{{Path: c.path(), Value: c.n.Value()}}
		switch {
		case v.rule == c.rule && v.Rule == c.rule.ID && !decided && c.reason == v.Reason:
			one.Fate, decided = "decides", true
		case c.rule.Unless != always && v.setAside&(1<<c.rule.Unless) != 0:
			one.Fate = "set aside " + c.rule.Unless.String()
		}
		out.Claims = append(out.Claims, one)
	}
	for w := range read {
		out.Words = append(out.Words, WordRead(w))
	}
	slices.SortFunc(out.Words, func(a, b WordRead) int { return cmp.Or(cmp.Compare(a.Word, b.Word), cmp.Compare(a.In, b.In)) })
	return v, out
}
