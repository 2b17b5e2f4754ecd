// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/operators/internal/reconciler"
	"github.com/tristate/tristate/operators/kars/internal/echo"
	"k8s.io/apimachinery/pkg/types"
)

// Quorum returns how many of n referring routers have to report a digest before it counts as enforced: all of them. The document says
// "only when at least one has confirmed", which all of them satisfy; one would make a policy ready that most sandboxes do not enforce.
func Quorum(n int) int { return n }

// maxLaggards bounds how many routers a message names.
const maxLaggards = 3

// Enforcement is how far the routers of the referring sandboxes are with an artifact.
type Enforcement struct {
	Referrers int
	Confirmed int
	Laggards  []string // sandboxes whose router has not reported the digest, sorted
}

// Done reports whether enough routers have reported the digest.
func (e Enforcement) Done() bool { return e.Referrers > 0 && e.Confirmed >= Quorum(e.Referrers) }

// String returns "1 of 3 routers have loaded it; not those of a, b".
func (e Enforcement) String() string {
	text := fmt.Sprintf("%d of %d routers have loaded it", e.Confirmed, e.Referrers)
	if len(e.Laggards) == 0 {
		return text
	}
	text += "; not of " + strings.Join(e.Laggards[:min(len(e.Laggards), maxLaggards)], ", ")
	if more := len(e.Laggards) - maxLaggards; more > 0 {
		text += fmt.Sprintf(" and %d others", more)
	}
	return text
}

// Enforced asks the store about each referrer. It returns [reconciler.ErrNotYet] where a router was not asked since the start.
func Enforced(store *echo.Store, referrers []types.NamespacedName, kind, digest string) (Enforcement, error) {
	e := Enforcement{Referrers: len(referrers)}
	for _, sandbox := range referrers {
		report, known := store.Get(sandbox)
		if !known {
			return e, reconciler.ErrNotYet
		}
		if report.Reports(kind, digest) {
			e.Confirmed++
			continue
		}
		e.Laggards = append(e.Laggards, sandbox.Name)
	}
	slices.Sort(e.Laggards)
	return e, nil
}
