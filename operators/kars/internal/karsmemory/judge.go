// SPDX-License-Identifier: Apache-2.0

package karsmemory

import (
	"strings"

	"github.com/tristate/tristate/operators/internal/reconciler"
	"github.com/tristate/tristate/operators/kars/internal/kit"
)

// Facts are the facts about a memory.
type Facts struct {
	kit.Publication
	Binding   string // that routers load: compact JSON
	Refused   string // a router whose store answered 401 or 403, with its report; empty: none
	Missing   string // a router whose store answered 404; empty: none
	StoreSeen bool   // a router has had an answer from the store
}

// Judge turns facts into conditions. A store that nobody has asked yet is waited for; a 404 of the store is a failure.
func Judge(p *Pass, f Facts) {
	if len(f.Problems) > 0 {
		reconciler.Report(strings.Join(f.Problems, "; "), p.Ready.SpecInvalid, p.Progressing.Failed, p.Degraded.SpecInvalid)
	}
	if f.WriteError != nil {
		reconciler.Report(f.WriteError.Error(), p.Ready.Failed, p.Progressing.Failed, p.Degraded.Failed)
	}
	if f.Refused != "" {
		reconciler.Report(f.Refused, p.Ready.AuthMisconfigured, p.Progressing.Failed, p.Degraded.AuthMisconfigured)
	}
	if f.Missing != "" {
		reconciler.Report(f.Missing, p.Ready.MemoryStoreMissing, p.Progressing.Failed, p.Degraded.MemoryStoreMissing)
	}
	if !f.Written() || f.Refused != "" || f.Missing != "" {
		return
	}
	p.Degraded.Reconciled("")
	if f.Enforced.Done() && !f.StoreSeen {
		reconciler.Report("no router has had an answer from the store yet", p.Ready.AwaitingFoundryProvisioning, p.Progressing.AwaitingFoundryProvisioning)
	} else {
		f.Publication.Judge(&p.Ready, &p.Progressing, "there is nothing for a router to load")
	}
}
