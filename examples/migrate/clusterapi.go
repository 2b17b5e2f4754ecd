// SPDX-License-Identifier: Apache-2.0

package migrate

import "github.com/tristate/tristate/examples/migrate/machine"

// Machine has the facts about a machine.
type Machine struct {
	CloudError error
	Bootstrap  bool // the bootstrap data exists
	Draining   int  // pods that are still to be moved; 0: the machine is not being deleted
}

// JudgeMachine reports the conditions that the code with Cluster API's library reported.
func JudgeMachine(p *machine.Pass, m Machine) {
	if m.CloudError != nil {
		p.InfrastructureReady.Failed("%v", m.CloudError)
	} else {
		p.InfrastructureReady.Provisioned()
	}
	if m.Bootstrap {
		p.BootstrapReady.Stored()
	} else {
		p.BootstrapReady.Waiting()
	}
	if m.Draining > 0 {
		p.Deleting.Draining("%s left", plural(m.Draining, "pod"))
	}
}
