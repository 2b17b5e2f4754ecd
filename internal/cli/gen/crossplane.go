// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/read/export"
	"github.com/tristate/tristate/internal/read/export/crossplane"
)

var crossplaneConsumer = consumer{
	name:  "crossplane",
	short: "Health checks in CEL for Crossplane's function-auto-ready",
	long: "Write the input of function-auto-ready with a check for each version of the kinds, by which a composed object is ready. Its " +
		"answers are those of tristate status, ready for " +
		"Current and Suspended, except for the differences that --differences lists.",
	example: "  tristate gen crossplane ToolPolicy.kars.azure.com\n  tristate gen crossplane Certificate.cert-manager.io --versions v1",
	add: func(flags *pflag.FlagSet) func([]*export.Subject) (*export.Product, error) {
		versions := versionsFlag(flags)
		return func(subjects []*export.Subject) (*export.Product, error) {
			return crossplane.Generate(subjects, *versions)
		}
	},
}

// versionsFlag adds the flag --versions.
func versionsFlag(flags *pflag.FlagSet) *[]string {
	return flags.StringSlice("versions", nil, "the versions of the definition in order, where the catalog has another order or none")
}
