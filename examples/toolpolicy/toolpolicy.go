// SPDX-License-Identifier: Apache-2.0

package toolpolicy

//go:generate go run ../../cmd/tristate gen go catalog.yaml
//go:generate go run ../../cmd/tristate gen rust catalog.yaml --out .

// Facts are the input of Judge: everything that a reconcile reads about a policy.
type Facts struct {
	SpecError    error
	WriteError   error
	Referrers    []string // sandboxes that name the policy
	Outdated     []string // those of them whose router enforces an older profile
	UnknownTools []string
}

// Judge turns facts into conditions. It is pure and has no early returns: declared precedence picks the reason.
func Judge(p *Pass, f Facts) {
	if f.SpecError != nil {
		p.Compiled.SpecInvalid("%v", f.SpecError)
	}
	if f.WriteError != nil {
		p.Compiled.ProfileWriteFailed("%v", f.WriteError)
	}
	if f.SpecError == nil && f.WriteError == nil {
		p.Compiled.ProfileStored()
	}
	switch {
	case len(f.Referrers) == 0:
		p.Enforced.NoSandboxesReferencing() // the catalog has the message
	case len(f.Outdated) > 0:
		p.Enforced.RouterOutdated("%d of %d routers are behind", len(f.Outdated), len(f.Referrers))
	default:
		p.Enforced.RouterEnforcing()
	}
	for _, tool := range f.UnknownTools {
		p.Degraded.ToolUnknown("tool %q", tool)
	}
	if len(f.UnknownTools) == 0 {
		p.Degraded.AsExpected()
	}
}
