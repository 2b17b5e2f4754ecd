// SPDX-License-Identifier: Apache-2.0

package karsmemory

import (
	"strings"

	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
)

// Facts are the facts about a memory.
type Facts struct {
	kit.Publication
	Binding   string // that routers load: compact JSON
	Refused   string // a router whose store answered 401 or 403, with its report; empty: none
	NoStore   string // a router whose store answered 404; empty: none
	StoreSeen bool   // a router has had an answer from the store
}

// Judge turns facts into conditions. A store that was not asked yet is waited for; a 404 of the store is a failure.
func Judge(p *Pass, f Facts) {
	p.Degraded.Absent() // any report outweighs it
	p.Progressing.Progress(f.Progress())
	if len(f.Problems) > 0 {
		p.SpecInvalid("%s", strings.Join(f.Problems, "; "))
	}
	if len(f.Absent) > 0 {
		p.DependencyMissing("%s", strings.Join(f.Absent, ", "))
	}
	if f.WriteError != nil {
		p.Failed("%v", f.WriteError)
	}
	if f.Refused != "" {
		p.AuthMisconfigured("%s", f.Refused)
	}
	if f.NoStore != "" {
		p.Degraded.MemoryStoreMissing("%s", f.NoStore)
	}
	if !f.Written() || f.Refused != "" {
		return
	}
	if f.NoStore == "" {
		p.Degraded.Reconciled()
	}
	switch {
	case f.NoStore != "":
		p.AwaitingFoundryProvisioning("%s", f.NoStore)
	case f.Loads && f.Enforced.Referrers == 0:
		p.NoSandboxesReferencing()
	case f.Enforced.Done() && !f.StoreSeen:
		p.AwaitingFoundryProvisioning("no router has had an answer from the store yet")
	default:
		f.Publication.Judge(p, "there is nothing for a router to load")
	}
}
