// SPDX-License-Identifier: Apache-2.0

package inside

import (
	"github.com/tristate/tristate/conditions/internal/merge"
	"github.com/tristate/tristate/conditions/internal/merge/capiv1beta1"
	"github.com/tristate/tristate/conditions/internal/merge/capiv1beta2"
	"github.com/tristate/tristate/conditions/internal/merge/knative"
)

// The names of the dialects that have rules of their own.
const (
	CAPIv1beta1 = "capi-v1beta1"
	CAPIv1beta2 = "capi-v1beta2"
	Knative     = "knative"
)

var native merge.Rules

// Rules returns the rules of the dialect; all others have the native ones.
func Rules(name string) *merge.Rules {
	switch name {
	case CAPIv1beta1:
		return &capiv1beta1.Rules
	case CAPIv1beta2:
		return &capiv1beta2.Rules
	case Knative:
		return &knative.Rules
	}
	return &native
}
