// SPDX-License-Identifier: Apache-2.0

package a2aagent

import (
	"strings"

	"github.com/tristate/tristate/operator"
)

// Facts are the facts about an agent.
type Facts struct {
	Problems   []string // of the spec
	Absent     []string // siblings that the spec names and that do not exist
	Missing    bool     // the card was never written
	WriteError error    // of the card
	Card       string
}

// Judge turns facts into conditions.
func Judge(p *Pass, f Facts) {
	if len(f.Problems) > 0 {
		operator.Report(strings.Join(f.Problems, "; "), p.Ready.SpecInvalid, p.Progressing.Failed)
	}
	if f.WriteError != nil {
		operator.Report(f.WriteError.Error(), p.Ready.Failed, p.Progressing.Failed)
	}
	if len(f.Absent) > 0 {
		operator.Report("there is no "+strings.Join(f.Absent, ", "), p.Ready.DependencyMissing, p.Progressing.Failed)
	}
	if len(f.Problems) > 0 || f.WriteError != nil || len(f.Absent) > 0 {
		return
	}
	if f.Missing {
		operator.Report("the card is being written", p.Ready.Creating, p.Progressing.Creating)
	} else {
		operator.Report("", p.Ready.Reconciled, p.Progressing.Reconciled)
	}
}
