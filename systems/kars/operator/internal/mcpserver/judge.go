// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"strings"
)

// Facts are the facts about a server.
type Facts struct {
	Problems   []string // of the spec
	Production bool     // productionMode
	JwksError  error    // of fetching the metadata or the key set of the issuer
	WriteError error    // of a child

	Content    map[string]string // to be mirrored, by file; nil: the stored copies stay
	Unmirrored []string          // sandboxes whose directory does not have the content, sorted
}

// bad reports whether something failed.
func (f Facts) bad() bool { return len(f.Problems) > 0 || f.JwksError != nil || f.WriteError != nil }

// Judge turns facts into conditions. Ready is True once the content is in the directory of every sandbox that runs, refers to the server
// and may.
func Judge(p *Pass, f Facts) {
	if len(f.Problems) > 0 {
		p.SpecInvalid("%s", strings.Join(f.Problems, "; "))
	}
	switch {
	case f.JwksError != nil && f.Production:
		p.DependencyMissing("%v", f.JwksError)
	case f.JwksError != nil:
		p.Failed("%v", f.JwksError)
	}
	if f.WriteError != nil {
		p.Failed("%v", f.WriteError)
	}
	switch {
	case f.bad():
	case len(f.Unmirrored) > 0:
		p.Reconciling("not in the directory of %s yet", strings.Join(f.Unmirrored, ", "))
	default:
		p.Reconciled()
	}
}
