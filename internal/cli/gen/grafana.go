// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/read/export"
	"github.com/tristate/tristate/internal/read/export/grafana"
)

var grafanaConsumer = consumer{
	name:  "grafana",
	short: "A dashboard for Grafana over the series of gen metrics",
	long: "Write a dashboard for Grafana 10 and later, as JSON that can be imported or provisioned, over the series that the rules of " +
		"gen metrics record.",
	example: "  tristate gen grafana ToolPolicy.kars.azure.com --out monitoring/",
	add: func(flags *pflag.FlagSet) func([]*export.Subject) (*export.Product, error) {
		o := grafana.Options{}
		flags.StringVar(&o.Prefix, "prefix", "kube_customresource", "prefix of the metrics of kube-state-metrics")
		flags.StringVar(&o.Title, "title", "Conditions", "title of the dashboard")
		return func(subjects []*export.Subject) (*export.Product, error) { return grafana.Generate(subjects, o) }
	},
}
