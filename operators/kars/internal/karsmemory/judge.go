// SPDX-License-Identifier: Apache-2.0

package karsmemory

import (
	"strings"

	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operators/kars/internal/kit"
)

// Facts are the facts about a memory.
type Facts struct {
	kit.Publication
	Binding   string // that routers load: compact JSON
	Refused   string // a router whose store answered 401 or 403, with its report; empty: none
	NoStore   string // a router whose store answered 404; empty: none
	StoreSeen bool   // a router has had an answer from the store
}

// Judge turns facts into conditions. A store that nobody has asked yet is waited for; a 404 of the store is a failure.
func Judge(p *Pass, f Facts) {
	p.Untyped().Retract(TypeDegraded) // any report outweighs it
	if len(f.Problems) > 0 {
		operator.Report(strings.Join(f.Problems, "; "), p.Ready.SpecInvalid, p.Progressing.Failed)
	}
	if len(f.Absent) > 0 {
		operator.Report(f.Publication.Missing(), p.Ready.DependencyMissing, p.Progressing.Failed)
	}
	if f.WriteError != nil {
		operator.Report(f.WriteError.Error(), p.Ready.Failed, p.Progressing.Failed)
	}
	if f.Refused != "" {
		operator.Report(f.Refused, p.Ready.AuthMisconfigured, p.Progressing.Failed, p.Degraded.AuthMisconfigured)
	}
	if f.NoStore != "" {
		p.Degraded.MemoryStoreMissing(f.NoStore)
	}
	if !f.Written() || len(f.Absent) > 0 || f.Refused != "" {
		return
	}
	if f.NoStore == "" {
		p.Degraded.Reconciled("")
	}
	switch {
	case f.NoStore != "":
		operator.Report(f.NoStore, p.Ready.AwaitingFoundryProvisioning, p.Progressing.Reconciling)
	case f.Loads && f.Enforced.Referrers == 0:
		p.Ready.AwaitingFoundryProvisioning("no sandbox refers to the memory, so that no router has asked the store")
		p.Progressing.Reconciled("")
	case f.Enforced.Done() && !f.StoreSeen:
		operator.Report("no router has had an answer from the store yet", p.Ready.AwaitingFoundryProvisioning, p.Progressing.Reconciling)
	default:
		f.Publication.Judge(ready{&p.Ready}, &p.Progressing, "there is nothing for a router to load")
	}
}

// ready has the reason NoSandboxesReferencing of the other artifacts, which the document does not list for a memory.
type ready struct{ *ReadyCondition }

func (r ready) NoSandboxesReferencing(message string) { r.AwaitingFoundryProvisioning(message) }
