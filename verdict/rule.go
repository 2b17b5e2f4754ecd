// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"github.com/tristate/tristate/verdict/internal/convention"
	"github.com/tristate/tristate/verdict/internal/lexicon"
)

// A Rule is one convention: it looks at one condition or field and claims a status for the object, in a tier. ID names it, as
// "condition/summary-broken", Looks and Why are its documentation, and Yes and No an object that it decides and a similar one that it does
// not. A rule never decides alone: the claims of all rules are collected, and the claim of the highest tier decides.
type Rule = convention.Rule

// All lists the rules of the conventions, in the order of the documentation.
var All = convention.All

// A Word is an entry of the lexicon: Word has the Meaning where In says, and Example is a value that has it, a vendor's where one is known.
type Word = lexicon.Word

// Words lists the entries of the lexicon.
func Words() []Word { return lexicon.Words() }
