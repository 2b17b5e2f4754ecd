// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"strings"

	"github.com/tristate/tristate/operator"
)

// Facts are the facts about a server.
type Facts struct {
	Problems   []string // of the spec
	Production bool     // productionMode
	JwksError  error    // of fetching the metadata or the key set of the issuer
	WriteError error    // of a child, or of fetching the bundle

	Content      map[string]string // to be mirrored, by file; nil: the stored copies stay
	Unmirrored   []string          // sandboxes whose directory does not have the content, sorted
	BundleDigest string
}

// Judge turns facts into conditions. Ready is True once the content is in the directory of every sandbox that runs, refers to the server and may.
func Judge(p *Pass, f Facts) {
	if len(f.Problems) > 0 {
		operator.Report(strings.Join(f.Problems, "; "), p.Ready.SpecInvalid, p.Progressing.Failed)
	}
	switch {
	case f.JwksError != nil && f.Production:
		operator.Report(f.JwksError.Error(), p.Ready.DependencyMissing, p.Progressing.Failed)
	case f.JwksError != nil:
		operator.Report(f.JwksError.Error(), p.Ready.Failed, p.Progressing.Failed)
	}
	if f.WriteError != nil {
		operator.Report(f.WriteError.Error(), p.Ready.Failed, p.Progressing.Failed)
	}
	switch {
	case len(f.Problems) > 0 || f.JwksError != nil || f.WriteError != nil:
	case len(f.Unmirrored) > 0:
		operator.Report("not in the directory of "+strings.Join(f.Unmirrored, ", ")+" yet", p.Ready.Reconciling, p.Progressing.Reconciling)
	default:
		operator.Report("", p.Ready.Reconciled, p.Progressing.Reconciled)
	}
}
