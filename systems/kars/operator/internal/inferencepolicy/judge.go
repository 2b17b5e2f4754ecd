// SPDX-License-Identifier: Apache-2.0

package inferencepolicy

import (
	"strings"

	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
)

// Facts are the facts about a policy.
type Facts struct {
	kit.Publication
	Profile string // that routers load: compact JSON
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
	if len(f.Absent) > 0 {
		p.DependencyMissing("%s", strings.Join(f.Absent, ", "))
	}
	if f.Written() {
		f.Publication.Judge(p, "there is no budget, safety or preference that a router enforces")
		p.Degraded.Reconciled()
	}
}
