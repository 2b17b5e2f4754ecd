// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"fmt"
	"strings"

	"github.com/tristate/tristate/conditions"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Error says which conditions of which object could not be written, and why.
type Error struct {
	Object     conditions.ObjectRef
	Conditions []string // the types that were to be written
	Attempts   int
	Err        error // the last answer of the API server
}

// Error is "write Ready, Stalled of Kind/namespace/name (8 attempts): cause".
func (e *Error) Error() string {
	tries := ""
	if e.Attempts > 1 {
		tries = fmt.Sprintf(" (%d attempts)", e.Attempts)
	}
	return fmt.Sprintf("write %s of %s%s: %v", strings.Join(e.Conditions, ", "), e.Object, tries, e.Err)
}

// Unwrap returns the answer of the API server.
func (e *Error) Unwrap() error { return e.Err }

// Conflict reports whether other writers made every attempt void. Trying again later helps; for other errors it may not.
func (e *Error) Conflict() bool { return apierrors.IsConflict(e.Err) }
