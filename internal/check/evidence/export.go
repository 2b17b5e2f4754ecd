// SPDX-License-Identifier: Apache-2.0

package evidence

import "go.yaml.in/yaml/v3"

// ExportKind is a product of a vocabulary.
type ExportKind string

// The kinds of exports.
const (
	Lua       ExportKind = "lua"       // a health script of Argo CD
	Rules     ExportKind = "rules"     // rule groups of Prometheus, or a PrometheusRule
	Metrics   ExportKind = "metrics"   // a CustomResourceStateMetrics configuration of kube-state-metrics
	Generated ExportKind = "generated" // code that tristate gen wrote
)

// Export is a file that names types, statuses and reasons for others.
type Export struct {
	Kind ExportKind
	File string
	Line int // of the document, from 1
	Data []byte
	Root *yaml.Node // of YAML; its lines count from that of the document
}
