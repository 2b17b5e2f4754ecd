// SPDX-License-Identifier: Apache-2.0

package toolpolicy

import (
	"strings"

	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operators/kars/internal/kit"
)

// Facts are the facts about a policy.
type Facts struct {
	kit.Publication
	Profile string // that routers load
	JSON    string // the compiled policy
}

// Judge turns facts into conditions.
func Judge(p *Pass, f Facts) {
	p.Untyped().Retract(TypeDegraded) // any report outweighs it
	if len(f.Problems) > 0 {
		operator.Report(strings.Join(f.Problems, "; "), p.Ready.SpecInvalid, p.Progressing.Failed)
	}
	if f.WriteError != nil {
		operator.Report(f.WriteError.Error(), p.Ready.Failed, p.Progressing.Failed, p.Degraded.Failed)
	}
	if f.Written() {
		f.Publication.Judge(&p.Ready, &p.Progressing, "there is no profile that a router loads")
		p.Degraded.Reconciled("")
	}
}
