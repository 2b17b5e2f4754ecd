// SPDX-License-Identifier: Apache-2.0

package migrate

import "github.com/tristate/tristate/examples/migrate/nodepool"

// NodePool has the facts about a node pool.
type NodePool struct {
	SpecError error
	Class     *bool // whether its node class is ready; nil: not known
	Found     bool  // the node class is there
}

// JudgeNodePool reports the conditions that the code with operatorpkg's library reported.
func JudgeNodePool(p *nodepool.Pass, n NodePool) {
	if n.SpecError != nil {
		p.ValidationSucceeded.NodePoolValidationFailed("%v", n.SpecError)
	} else {
		p.ValidationSucceeded.ValidationSucceeded()
	}
	switch {
	case !n.Found:
		p.NodeClassReady.NodeClassNotFound("the node class does not exist")
	case n.Class == nil || !*n.Class:
		p.NodeClassReady.NodeClassReadinessUnknown()
	default:
		p.NodeClassReady.NodeClassReady()
	}
}
