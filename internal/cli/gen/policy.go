// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/read/export"
	"github.com/tristate/tristate/internal/read/export/policy"
)

var policyConsumer = consumer{
	name:  "policy",
	short: "ValidatingAdmissionPolicies that report undeclared conditions when a status is written",
	long: "Write a ValidatingAdmissionPolicy with its binding on the status of each kind: undeclared types and cells, transitions that are " +
		"not allowed, foreign writers. It warns and " +
		"audits; with --deny it refuses, and a controller whose write is refused repeats it for ever.",
	example: "  tristate gen policy ToolPolicy.kars.azure.com | kubectl apply -f -\n" +
		"  tristate gen policy ToolPolicy.kars.azure.com --deny --user system:serviceaccount:kars-system:kars-operator",
	add: func(flags *pflag.FlagSet) func([]*export.Subject) (*export.Product, error) {
		o := policy.Options{}
		flags.BoolVar(&o.Deny, "deny", false, "refuse a write instead of warning and auditing")
		flags.StringSliceVar(&o.Writers, "user", nil, "the only users that may write the status")
		flags.StringSliceVar(&o.Exempt, "exempt", nil, "users whose writes are not looked at")
		flags.StringVar(&o.Resource, "resource", "", "resource of the kind, such as toolpolicies (default: by the name of the catalog)")
		return func(subjects []*export.Subject) (*export.Product, error) { return policy.Generate(subjects, o) }
	},
}
