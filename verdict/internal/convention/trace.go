// SPDX-License-Identifier: Apache-2.0

package convention

import (
	"cmp"
	"slices"

	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/object"
)

// Trace collects the claims of all rules about an object.
type Trace struct{ claims []claim }

// A Claim is the status that a rule claims for an object.
type Claim struct {
	Rule    *Rule
	Tier    Tier // that of the rule, or a lower one
	Says    answer.Status
	Reason  string
	Message object.Message
	Fact    object.Fact
	Fate    string // "decides", "outranked", or "set aside" and the reason
}

// Claims returns the claims, the highest first, with their fate in an answer.
func (t *Trace) Claims(a *answer.Answer) []Claim {
	slices.SortStableFunc(t.claims, rank)
	var out []Claim
	decided := false
	for i := range t.claims {
		c := &t.claims[i]
		if c.c.Type != "" && c.reason == "" {
			c.reason, c.msg = cmp.Or(c.c.Reason(), c.c.Type), c.c.Sentence()
		}
		if c.Place == object.PathCondition {
			c.B, c.N = "status", c.c.N.Get("status")
		}
		one := Claim{Rule: c.rule, Tier: c.tier, Says: c.says, Reason: c.reason, Message: c.msg, Fact: c.Fact, Fate: "outranked"}
		switch {
		case a.Convention == c.rule.number && a.Rule == c.rule.ID && !decided && c.reason == a.Reason:
			one.Fate, decided = "decides", true
		case c.rule.Unless != always && a.SetAside&(1<<c.rule.Unless) != 0:
			one.Fate = "set aside " + c.rule.Unless.String()
		}
		out = append(out, one)
	}
	return out
}

// Guessed reports whether nothing in an object says what the answer to it is.
func Guessed(a *answer.Answer) bool { return Guesses[a.Rule] }

// Guesses has the ids of the rules that answer although nothing in an object says so.
var Guesses = func() map[string]bool {
	out := map[string]bool{}
	for _, r := range All {
		if r.doubt == noEvidence {
			out[r.ID] = true
		}
	}
	return out
}()

// Decided returns the rule of the conventions by which an answer was found; nil without one.
func Decided(a *answer.Answer) *Rule {
	if a.Convention == 0 || All[a.Convention-1].ID != a.Rule {
		return nil
	}
	return All[a.Convention-1]
}
