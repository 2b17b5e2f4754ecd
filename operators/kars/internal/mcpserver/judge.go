// SPDX-License-Identifier: Apache-2.0

package mcpserver

import "strings"

// Facts are what a pass finds out about a server.
type Facts struct {
	Problems   []string // of the spec
	JwksError  error    // why the key set could not be fetched, where productionMode demands one
	WriteError error    // of a child, or of fetching the bundle

	Jwks, Meta   string // to be mirrored; empty: what is mirrored stays
	BundleDigest string
}

// Judge turns facts into conditions.
func Judge(p *Pass, f Facts) {
	if len(f.Problems) > 0 {
		why := strings.Join(f.Problems, "; ")
		p.Ready.SpecInvalid(why)
		p.Progressing.Failed(why)
		p.Degraded.SpecInvalid(why)
	}
	if f.JwksError != nil {
		p.Ready.DependencyMissing(f.JwksError.Error())
		p.Progressing.Failed(f.JwksError.Error())
		p.Degraded.DependencyMissing(f.JwksError.Error())
	}
	if f.WriteError != nil {
		p.Ready.Failed(f.WriteError.Error())
		p.Progressing.Failed(f.WriteError.Error())
		p.Degraded.Failed(f.WriteError.Error())
	}
	if len(f.Problems) == 0 && f.JwksError == nil && f.WriteError == nil {
		p.Ready.Reconciled("")
		p.Progressing.Reconciled("")
		p.Degraded.Reconciled("")
	}
}
