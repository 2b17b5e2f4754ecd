// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"strings"

	"github.com/tristate/tristate/operators/internal/reconciler"
)

// Facts are the facts about a server.
type Facts struct {
	Problems   []string // of the spec
	JwksError  error    // of fetching the key set, where productionMode demands one
	WriteError error    // of a child, or of fetching the bundle

	Jwks, Meta   string // to be mirrored; empty: the stored copies stay
	BundleDigest string
}

// Judge turns facts into conditions.
func Judge(p *Pass, f Facts) {
	if len(f.Problems) > 0 {
		reconciler.Report(strings.Join(f.Problems, "; "), p.Ready.SpecInvalid, p.Progressing.Failed, p.Degraded.SpecInvalid)
	}
	if f.JwksError != nil {
		reconciler.Report(f.JwksError.Error(), p.Ready.DependencyMissing, p.Progressing.Failed, p.Degraded.DependencyMissing)
	}
	if f.WriteError != nil {
		reconciler.Report(f.WriteError.Error(), p.Ready.Failed, p.Progressing.Failed, p.Degraded.Failed)
	}
	if len(f.Problems) == 0 && f.JwksError == nil && f.WriteError == nil {
		reconciler.Report("", p.Ready.Reconciled, p.Progressing.Reconciled, p.Degraded.Reconciled)
	}
}
