// SPDX-License-Identifier: Apache-2.0

package exportcheck

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/catalog"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
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

// metricsOf reads the configurations
// (https://github.com/kubernetes/kube-state-metrics/blob/main/docs/metrics/extend/customresourcestate-metrics.md).
func metricsOf(p *check.Pass) []metric {
	var out []metric
	for _, e := range p.Exports {
		if e.Kind != evidence.Metrics {
			continue
		}
		for _, resource := range items(field(field(e.Root, "spec"), "resources")) {
			gvk := field(resource, "groupVersionKind")
			of := schema.GroupKind{Group: text(field(gvk, "group")), Kind: text(field(gvk, "kind"))}
			prefix := cmp.Or(text(field(resource, "metricNamePrefix")), "kube_customresource")
			for _, one := range items(field(resource, "metrics")) {
				name := field(one, "name")
				each := field(one, "each")
				if name == nil || each == nil {
					continue
				}
				m := metric{name: prefix + "_" + name.Value, of: of, at: catalog.Position{File: e.File, Line: e.Line - 1 + name.Line, Column: name.Column}}
				body := field(each, "gauge")
				if body != nil {
					m.gauge = true
				} else if body = field(each, "stateSet"); body == nil {
					continue
				}
				way := append(words(field(body, "path")), words(field(body, "valueFrom"))...)
				if !slices.Contains(way, "conditions") || way[len(way)-1] != "status" {
					continue
				}
				if labels := field(body, "labelsFromPath"); labels != nil {
					for i := 1; i < len(labels.Content); i += 2 {
						way := words(labels.Content[i])
						m.labels = m.labels || len(way) > 0 && way[len(way)-1] == "status"
					}
				}
				m.list = words(field(body, "list"))
				out = append(out, m)
			}
		}
	}
	return out
}

func text(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	return n.Value
}

var (
	luaCompared = regexp.MustCompile(`\.status\s*[=~]=\s*["'](True|False|Unknown)["']`)
	luaComment  = regexp.MustCompile(`--[^\n]*`)
)

func unknownLost(p *check.Pass) {
	for _, m := range metricsOf(p) {
		p.Subject()
		subject := m.name + " " + evidence.KindName(m.of)
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
				p.Report(catalog.Position{File: e.File, Line: line, Column: 1}, e.File, "the script compares a status with %s only: Unknown is the same to it as %s", only, other).
					Try("compare with Unknown as well, which is progress and no failure")
			}
		}
	}
}
