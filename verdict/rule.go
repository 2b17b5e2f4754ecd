// SPDX-License-Identifier: Apache-2.0

package verdict

import "github.com/tristate/tristate/verdict/internal/convention"

// A Rule is one convention: it looks at one condition or field and makes a claim about the object. A rule never decides alone: the claims
// of all rules are collected, and the claim of the highest [Tier] decides.
type Rule struct {
	// ID names the rule, as "condition/summary-broken". A verdict that the rule decided has it as its Rule.
	ID string
	// Tier ranks its claims.
	Tier Tier
	// Says is the status that it claims; empty: none.
	Says Status
	// Unless sets its claims aside.
	Unless Reservation
	// Looks names what the rule looks at, and Why gives the reason for its claim in a few sentences.
	Looks, Why string
	// Yes is an object that the rule decides, No a similar one that it does not decide.
	Yes, No Example
	// Keep is the reason to keep a rule without which the verdict on no object of any corpus changes; empty for any other.
	Keep string
}

// An Example is an object of an unknown kind: its members except apiVersion and kind, as YAML in flow style.
type Example struct {
	Kind   string // empty: "Lamp"
	Object string
}

// A Reservation sets the claim of a rule aside if something else is true of the object.
type Reservation uint8

func (r Reservation) String() string { return convention.Reservation(r).String() }

// A Tier is a place in the order in which claims are picked, the higher first. Of two claims in one tier the first by its place in the
// object decides.
type Tier uint8

// String returns the name of the tier.
func (t Tier) String() string { return convention.Tier(t).String() }

// All lists the rules of the conventions, in the order of the documentation.
var All = func() (out []*Rule) {
	for _, r := range convention.All {
		out = append(out, &Rule{ID: r.ID, Tier: Tier(r.Tier), Says: Status(r.Says), Unless: Reservation(r.Unless), Looks: r.Looks, Why: r.Why,
			Yes: Example(r.Yes), No: Example(r.No), Keep: r.Keep})
	}
	return out
}()
