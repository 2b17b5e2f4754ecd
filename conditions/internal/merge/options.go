// SPDX-License-Identifier: Apache-2.0

package merge

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Input is one condition offered to a merge; package rollup describes the fields.
type Input struct {
	Object            Object
	Type              string
	Condition         *metav1.Condition // nil: not reported
	Severity          string            // of the condition itself
	Declared          string            // severity declared for its reason
	Negative, Neutral bool              // polarity of the type; neither: positive
	Stale, Optional   bool
	Causes            []Cause
}

// How an input without a condition counts.
const (
	MissingSkip    = "skip"
	MissingUnknown = "unknown"
)

// Options are the options of a merge; package rollup describes them.
type Options struct {
	Missing          string
	Counter          bool
	Total            int
	AtLeast, AtMost  int
	Recent           bool
	Reasons          map[string]string
	SourceRef, Exact bool
	Object           Object
	Stored           string // the message that is stored: reused, so that an equal one costs no memory
}

// renamed is the reason under the name that the result has for it.
func (o *Options) renamed(reason string) string {
	if o.Reasons == nil { // mostly, and inlined
		return reason
	}
	if name, ok := o.Reasons[reason]; ok {
		return name
	}
	return reason
}

// Target is the declaration of a type that is merged.
type Target struct {
	Name              string
	Negative, Neutral bool
	Imported          bool // valid reasons that are not declared are accepted
	Cells             Cells
}

// Cells are the declared reasons of a type in order of precedence.
type Cells interface {
	Len() int
	Cell(i int) (reason string, aliases []string, status metav1.ConditionStatus)
}

// declared returns the declared name of the reason of a cell.
func (t *Target) declared(reason string, status metav1.ConditionStatus) (string, bool) {
	for i := range t.Cells.Len() {
		if name, aliases, s := t.Cells.Cell(i); s == status && named(name, aliases, reason) {
			return name, true
		}
	}
	return "", false
}

// Fallback is the last reason declared for the status: declared order is precedence, so that the last one is the catch-all. Without one it
// is the stock reason.
func (t *Target) Fallback(status metav1.ConditionStatus, stock string) string {
	for i := t.Cells.Len() - 1; i >= 0; i-- {
		if name, _, s := t.Cells.Cell(i); s == status {
			return name
		}
	}
	return stock
}

// named reports whether a reason is one of that name or alias.
func named(name string, aliases []string, reason string) bool {
	if name == reason {
		return true
	}
	for _, alias := range aliases {
		if alias == reason {
			return true
		}
	}
	return false
}
