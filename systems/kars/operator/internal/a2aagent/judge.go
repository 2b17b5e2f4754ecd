// SPDX-License-Identifier: Apache-2.0

package a2aagent

import (
	"strings"
)

// Facts are the facts about an agent.
type Facts struct {
	Problems   []string // of the spec
	Absent     []string // siblings that the spec names and that do not exist
	Missing    bool     // the card was never written
	WriteError error    // of the card
	Card       string
}

// compiles reports whether a card can be made of the spec, so that it is published.
func (f Facts) compiles() bool { return len(f.Problems) == 0 && len(f.Absent) == 0 }

// Judge turns facts into conditions.
func Judge(p *Pass, f Facts) {
	if len(f.Problems) > 0 {
		p.SpecInvalid("%s", strings.Join(f.Problems, "; "))
	}
	if f.WriteError != nil {
		p.Failed("%v", f.WriteError)
	}
	if len(f.Absent) > 0 {
		p.DependencyMissing("%s", strings.Join(f.Absent, ", "))
	}
	switch {
	case !f.compiles() || f.WriteError != nil:
	case f.Missing:
		p.Creating()
	default:
		p.Reconciled()
	}
}
