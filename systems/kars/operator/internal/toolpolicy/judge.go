// SPDX-License-Identifier: Apache-2.0

package toolpolicy

import (
	"strings"

	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
)

// Facts are the facts about a policy.
type Facts struct {
	kit.Publication
	Profile string // that routers load
	JSON    string // the compiled policy
}

// Judge turns facts into conditions.
func Judge(p *Pass, f Facts) {
	p.Degraded.Absent() // any report outweighs it
	p.Progressing.Progress(f.Progress())
	if len(f.Problems) > 0 {
		p.SpecInvalid("%s", strings.Join(f.Problems, "; "))
	}
	if f.WriteError != nil {
		p.Failed("%v", f.WriteError)
	}
	if f.Written() {
		f.Publication.Judge(p, "there is no profile that a router loads")
		p.Degraded.Reconciled()
	}
}
