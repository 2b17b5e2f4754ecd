// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/read/export"
	"github.com/tristate/tristate/internal/read/export/karmada"
)

var karmadaConsumer = consumer{
	name:  "karmada",
	short: "Health interpretations in Lua for Karmada",
	long: "Write a ResourceInterpreterCustomization of Karmada for each version of the kinds, which interprets their health. Its answers " +
		"are those of tristate status, healthy for " +
		"Current and Suspended, except for the differences that --differences lists.",
	example: "  tristate gen karmada ToolPolicy.kars.azure.com\n  tristate gen karmada Certificate.cert-manager.io --versions v1",
	add: func(flags *pflag.FlagSet) func([]*export.Subject) (*export.Product, error) {
		versions := versionsFlag(flags)
		return func(subjects []*export.Subject) (*export.Product, error) {
			return karmada.Generate(subjects, *versions)
		}
	},
}
