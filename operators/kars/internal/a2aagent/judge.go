// SPDX-License-Identifier: Apache-2.0

package a2aagent

import "strings"

// Facts are what a pass finds out about an agent.
type Facts struct {
	Problems   []string // of the spec
	Missing    bool     // the card was never written
	WriteError error    // of the card
	Card       string
}

// Judge turns facts into conditions.
func Judge(p *Pass, f Facts) {
	if len(f.Problems) > 0 {
		why := strings.Join(f.Problems, "; ")
		p.Ready.SpecInvalid(why)
		p.Progressing.Failed(why)
		p.Degraded.SpecInvalid(why)
	}
	if f.WriteError != nil {
		p.Ready.Failed(f.WriteError.Error())
		p.Progressing.Failed(f.WriteError.Error())
		p.Degraded.Failed(f.WriteError.Error())
	}
	if len(f.Problems) == 0 && f.Missing {
		p.Ready.Creating("the card is being written")
		p.Progressing.Creating("the card is being written")
		p.Degraded.Reconciled("")
	}
	if len(f.Problems) == 0 && f.WriteError == nil && !f.Missing {
		p.Ready.Reconciled("")
		p.Progressing.Reconciled("")
		p.Degraded.Reconciled("")
	}
}
