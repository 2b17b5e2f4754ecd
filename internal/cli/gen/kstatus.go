// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/read/export"
	"github.com/tristate/tristate/internal/read/export/kstatus"
)

var kstatusConsumer = consumer{
	name:  "kstatus",
	short: "The conditions with which plain kstatus is right",
	long: "Write the states of a kind on which plain kstatus is wrong, with the condition that an author adds so that it is right: " +
		"Reconciling or Stalled. Helm and Flux wait with " +
		"kstatus. --differences lists the states for which no condition could.",
	example: "  tristate gen kstatus ToolPolicy.kars.azure.com",
	add: func(*pflag.FlagSet) func([]*export.Subject) (*export.Product, error) {
		return kstatus.Generate
	},
}
