// SPDX-License-Identifier: Apache-2.0

package exportcheck

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/declare/catalog"
	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// metric is one metric of a configuration of kube-state-metrics that reads the status of conditions.
type metric struct {
	name   string
	of     schema.GroupKind
	gauge  bool
	labels bool     // the status is a label
	list   []string // of a state set
	at     catalog.Position
}

// configuration is the part of a configuration of kube-state-metrics that the checks read
// (https://github.com/kubernetes/kube-state-metrics/blob/main/docs/metrics/extend/customresourcestate-metrics.md).
type configuration struct {
	Spec struct {
		Resources []struct {
			GroupVersionKind struct{ Group, Kind string } `yaml:"groupVersionKind"`
			MetricNamePrefix string                       `yaml:"metricNamePrefix"`
			Metrics          []struct {
				Name yaml.Node // for its place
				Each struct {
					Gauge    *source
					StateSet *source `yaml:"stateSet"`
				}
			}
		}
	}
}

// source is the field that a metric reads.
type source struct {
	Path           []string
	ValueFrom      []string            `yaml:"valueFrom"`
	LabelsFromPath map[string][]string `yaml:"labelsFromPath"`
	List           []string
}

// metricsOf returns the metrics of all configurations.
func metricsOf(p *check.Pass) []metric {
	var out []metric
	for _, e := range p.Exports {
		if e.Kind != evidence.Metrics || e.Root == nil {
			continue
		}
		var c configuration
		_ = e.Root.Decode(&c) // fields of another type are left out
		for _, resource := range c.Spec.Resources {
			prefix := cmp.Or(resource.MetricNamePrefix, "kube_customresource")
			for _, one := range resource.Metrics {
				body := cmp.Or(one.Each.Gauge, one.Each.StateSet)
				if body == nil || one.Name.Value == "" {
					continue
				}
				path := append(body.Path, body.ValueFrom...)
				if !slices.Contains(path, "conditions") || path[len(path)-1] != "status" {
					continue
				}
				m := metric{name: prefix + "_" + one.Name.Value, of: schema.GroupKind(resource.GroupVersionKind), gauge: one.Each.Gauge != nil,
					list: body.List,
					at:   catalog.Position{File: e.File, Line: e.Line - 1 + one.Name.Line, Column: one.Name.Column}}
				for _, path := range body.LabelsFromPath {
					m.labels = m.labels || len(path) > 0 && path[len(path)-1] == "status"
				}
				out = append(out, m)
			}
		}
	}
	return out
}

var (
	luaCompared = regexp.MustCompile(`\.status\s*[=~]=\s*["'](True|False|Unknown)["']`)
	luaComment  = regexp.MustCompile(`--[^\n]*`)
)

func unknownLost(p *check.Pass) {
	for _, m := range metricsOf(p) {
		p.Subject()
		subject := m.name + " " + m.of.String()
		switch {
		case m.gauge && !m.labels:
			p.Report(m.at, subject, "%s is a gauge of the status: Unknown counts as 0, as False does", m.name).
				Try("use a stateSet with the list [\"True\", \"False\", \"Unknown\"]")
		case !m.gauge && !slices.Contains(m.list, "Unknown"):
			p.Report(m.at, subject, "the states of %s lack Unknown", m.name).Try("add Unknown to the list")
		}
	}
	for _, e := range p.Exports {
		if e.Kind != evidence.Lua {
			continue
		}
		script := luaComment.ReplaceAllString(string(e.Data), "")
		if !strings.Contains(script, "conditions") {
			continue
		}
		p.Subject()
		compared, line := map[string]bool{}, 0
		for _, at := range luaCompared.FindAllStringSubmatchIndex(script, -1) {
			compared[script[at[2]:at[3]]] = true
			if line == 0 {
				line = e.Line + strings.Count(script[:at[0]], "\n")
			}
		}
		for only := range compared {
			if len(compared) == 1 && only != "Unknown" {
				other := map[string]string{"True": "False", "False": "True"}[only]
				p.Report(catalog.Position{File: e.File, Line: line, Column: 1}, e.File, "the script compares a status with %s only: Unknown is the "+
					"same to it as %s", only, other).
					Try("compare with Unknown as well, which is progress and no failure")
			}
		}
	}
}
