// SPDX-License-Identifier: Apache-2.0

package metrics

import "slices"

// configuration is a file that kube-state-metrics reads with --custom-resource-state-config-file
// (https://github.com/kubernetes/kube-state-metrics/blob/main/docs/metrics/extend/customresourcestate-metrics.md).
type configuration struct {
	Kind string            `yaml:"kind"`
	Spec configurationSpec `yaml:"spec"`
}

type configurationSpec struct {
	Resources []resource `yaml:"resources"`
}

type resource struct {
	GroupVersionKind groupVersionKind    `yaml:"groupVersionKind"`
	MetricNamePrefix string              `yaml:"metricNamePrefix"`
	LabelsFromPath   map[string][]string `yaml:"labelsFromPath,flow"`
	Metrics          []generator         `yaml:"metrics"`
}

type groupVersionKind struct {
	Group   string `yaml:"group"`
	Version string `yaml:"version"`
	Kind    string `yaml:"kind"`
}

type generator struct {
	Name         string            `yaml:"name"`
	Help         string            `yaml:"help"`
	CommonLabels map[string]string `yaml:"commonLabels,omitempty,flow"`
	// ErrorLogV is the level at which a missing field is logged, which is no error here.
	ErrorLogV int  `yaml:"errorLogV,omitempty"`
	Each      each `yaml:"each"`
}

type each struct {
	Type  string  `yaml:"type"`
	Gauge *source `yaml:"gauge,omitempty"`
	Info  *source `yaml:"info,omitempty"`
}

type source struct {
	Path           []string            `yaml:"path,flow"`
	LabelsFromPath map[string][]string `yaml:"labelsFromPath,omitempty,flow"`
}

const (
	infoHelp       = "A condition of the object, with its status and reason; always 1."
	transitionHelp = "When the condition changed its status last, in seconds since 1970."
	quiet          = 9
)

// resourceOf returns the entry of a kind.
func resourceOf(k *kind, prefix string) resource {
	r := resource{MetricNamePrefix: prefix, GroupVersionKind: groupVersionKind{k.Subject.For.Group, k.version(), k.Subject.For.Kind},
		LabelsFromPath: map[string][]string{"namespace": {"metadata", "namespace"}, "name": {"metadata", "name"}}}
	gauge := func(name, help string, path ...string) {
		r.Metrics = append(r.Metrics, generator{Name: name, Help: help, ErrorLogV: quiet, Each: each{Type: "Gauge", Gauge: &source{Path: path}}})
	}
	gauge("created", "When the object was created, in seconds since 1970.", "metadata", "creationTimestamp")
	gauge("deletion_timestamp", "When the deletion of the object was asked for, in seconds since 1970.", "metadata", "deletionTimestamp")
	gauge("generation", "The generation of the object.", "metadata", "generation")
	if k.Source.Spec.InStatus() {
		gauge("observed_generation", "The generation that the status is about.", "status", "observedGeneration")
	}
	at := func(t *conditionType) []string { return append(slices.Clone(k.Path), "[type="+t.Name+"]") }
	for _, t := range k.types { // entries of one metric follow each other, as their headers are joined
		labels := map[string][]string{"status": {"status"}}
		if t.closed {
			labels["reason"] = []string{"reason"}
		}
		r.Metrics = append(r.Metrics, generator{Name: "condition_info", Help: infoHelp, CommonLabels: map[string]string{"type": t.Name},
			ErrorLogV: quiet,
			Each:      each{Type: "Info", Info: &source{Path: at(t), LabelsFromPath: labels}}})
	}
	for _, t := range k.types {
		r.Metrics = append(r.Metrics, generator{Name: "condition_last_transition_time", Help: transitionHelp,
			CommonLabels: map[string]string{"type": t.Name}, ErrorLogV: quiet,
			Each: each{Type: "Gauge", Gauge: &source{Path: append(at(t), "lastTransitionTime")}}})
	}
	return r
}

// version returns the preferred version; * for every version that is served.
func (k *kind) version() string {
	if len(k.Versions) == 0 {
		return "*"
	}
	return k.Versions[0]
}

// series returns how many series an object has that has every condition.
func (r resource) series() int { return len(r.Metrics) - 1 } // deletion_timestamp is rare
