// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/read/export"
	"github.com/tristate/tristate/internal/read/export/metrics"
)

var metricsConsumer = consumer{
	name:  "metrics",
	short: "Series for kube-state-metrics, and rules and alerts for Prometheus",
	long: "Write a CustomResourceState configuration for kube-state-metrics with the role that it needs, recording rules that classify " +
		"conditions, and alerts, as a plain file and as " +
		"a PrometheusRule. Severity, waiting time, remedy and runbook come from the catalog. The number of series is reported.",
	example: "  tristate gen metrics ToolPolicy.kars.azure.com --out monitoring/\n  tristate gen metrics Cluster.cluster.x-k8s.io " +
		"Machine.cluster.x-k8s.io --per reason --objects 20000 --out monitoring/",
	add: func(flags *pflag.FlagSet) func([]*export.Subject) (*export.Product, error) {
		o := metrics.Options{}
		flags.StringVar(&o.Prefix, "prefix", "kube_customresource", "prefix of the metrics of kube-state-metrics")
		flags.StringVar(&o.Job, "job", "kube-state-metrics", "label job of kube-state-metrics, for the alert that it is down")
		flags.StringVar(&o.Per, "per", metrics.PerObject, "what an alert is about: object, or reason, which counts the objects of a namespace")
		flags.BoolVar(&o.Helm, "helm", false, "escape the templates of Prometheus, for files of a Helm chart")
		flags.IntVar(&o.Objects, "objects", 1000, "number of objects of a kind for the estimate")
		return func(subjects []*export.Subject) (*export.Product, error) { return metrics.Generate(subjects, o) }
	},
}
