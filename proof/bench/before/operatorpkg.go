// SPDX-License-Identifier: Apache-2.0

package before

import "github.com/awslabs/operatorpkg/status"

// NodePool reports with operatorpkg's conditions.
func NodePool(pool status.Object, specError error, found bool, ready *bool) {
	set := status.NewReadyConditions("ValidationSucceeded", "NodeClassReady").For(pool)
	if specError != nil {
		set.SetFalse("ValidationSucceeded", "NodePoolValidationFailed", specError.Error())
	} else {
		set.SetTrue("ValidationSucceeded")
	}
	switch {
	case !found:
		set.SetFalse("NodeClassReady", "NodeClassNotFound", "the node class does not exist")
	case ready == nil || !*ready:
		set.SetUnknownWithReason("NodeClassReady", "NodeClassReadinessUnknown", "the node class is not ready")
	default:
		set.SetTrue("NodeClassReady")
	}
}
