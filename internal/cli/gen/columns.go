// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/read/export"
	"github.com/tristate/tristate/internal/read/export/columns"
)

var columnsConsumer = consumer{
	name:  "columns",
	short: "Printer columns and a schema of conditions for CustomResourceDefinitions",
	long: "Write JSON patches that add printer columns, and a schema of the list of conditions, to a version of a CustomResourceDefinition, " +
		"for kubectl and kustomize; or markers for " +
		"controller-gen. A patch tests first that the version is at its place.",
	example: "  tristate gen columns ToolPolicy.kars.azure.com --out crd/\n  tristate gen columns ToolPolicy.kars.azure.com --form markers",
	add: func(flags *pflag.FlagSet) func([]*export.Subject) (*export.Product, error) {
		form := flags.String("form", columns.Patch, "form: patch or markers")
		versions := versionsFlag(flags)
		return func(subjects []*export.Subject) (*export.Product, error) {
			return columns.Generate(subjects, *form, *versions)
		}
	},
}
