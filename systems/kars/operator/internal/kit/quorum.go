// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/systems/kars/operator/internal/echo"
	"k8s.io/apimachinery/pkg/types"
)

// Quorum is how many of the routers that are to run have to report a digest before it counts as enforced. The document says: "only when at
// least one referencing sandbox's router has confirmed the loaded profile digest".
type Quorum string

// The quorums.
const (
	One Quorum = "one" // the document's, and the default
	All Quorum = "all" // for operators who want no policy Ready while a sandbox that runs does not enforce it
)

// ParseQuorum reads a quorum.
func ParseQuorum(text string) (Quorum, error) {
	if q := Quorum(text); q == One || q == All {
		return q, nil
	}
	return "", fmt.Errorf("quorum %q is neither one nor all", text)
}

// maxNamed bounds how many routers of a sort a message names.
const maxNamed = 3

// Enforcement is how far the routers of the referring sandboxes are with an artifact. A sandbox that is suspended, blocked or run by
// another controller has no router that could confirm: it does not count against the artifact, under either quorum.
type Enforcement struct {
	Quorum    Quorum // empty: One
	Referrers int
	Confirmed int
	Laggards  []string // sandboxes whose router is to run and has not reported the digest, sorted
	Off       []string // sandboxes without a router, sorted
}

// Done reports whether enough routers have reported the digest: never without one.
func (e Enforcement) Done() bool {
	return e.Confirmed > 0 && (e.Quorum != All || len(e.Laggards) == 0)
}

// Waits reports whether a router that could confirm is waited for.
func (e Enforcement) Waits() bool { return !e.Done() && len(e.Laggards) > 0 }

// String returns "1 of 3 routers have loaded it; not those of a, b; off: c".
func (e Enforcement) String() string {
	text := fmt.Sprintf("%d of %d routers have loaded it", e.Confirmed, e.Referrers)
	return text + named("; not of ", e.Laggards) + named("; off: ", e.Off)
}

func named(what string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	text := what + strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d others", more)
	}
	return text
}

// Enforced asks the store about each referrer. It returns [operator.ErrNotYet] where a router was not asked since the start.
func Enforced(store *echo.Store, quorum Quorum, referrers []types.NamespacedName, kind, digest string) (Enforcement, error) {
	e := Enforcement{Quorum: quorum, Referrers: len(referrers)}
	for _, sandbox := range referrers {
		report, known := store.Get(sandbox)
		switch {
		case !known:
			return e, operator.ErrNotYet
		case report.Off():
			e.Off = append(e.Off, sandbox.Name)
		case report.Reports(kind, digest):
			e.Confirmed++
		default:
			e.Laggards = append(e.Laggards, sandbox.Name)
		}
	}
	slices.Sort(e.Laggards)
	slices.Sort(e.Off)
	return e, nil
}
