// SPDX-License-Identifier: Apache-2.0

package server

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/internal/fleet/rows"
	"github.com/tristate/tristate/verdict"
)

// The limits of series.
const (
	// DefaultSeries is how many unhealthy objects have series of their own.
	DefaultSeries = 5000
	// mostReasons is how many reasons of one kind are labels; further ones are the reason other.
	mostReasons = 100
)

// Metrics collects the verdicts of a fleet: how many objects of a kind and a namespace have each verdict, and series of their own only for
// objects that are not Current, up to a limit.
type Metrics struct {
	fleet  *rows.Fleet
	series int

	objects, unhealthy, since, overdue, capped, up, lag *prometheus.Desc
}

// NewMetrics returns a collector for a fleet, with series of their own for so many objects.
func NewMetrics(fleet *rows.Fleet, series int) *Metrics {
	object := []string{"cluster", "group", "kind", "namespace", "name"}
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("tristate_"+name, help, labels, nil)
	}
	return &Metrics{fleet: fleet, series: series,
		objects: desc("objects", "Number of objects, by kind, namespace and verdict.", "cluster", "group", "kind", "namespace", "verdict"),
		unhealthy: desc("object_unhealthy", "1 for each object that is not Current, the worst first up to a limit.",
			append(object, "verdict", "class", "reason")...),
		since:   desc("object_since_seconds", "Unix time since which an object that is not Current has its verdict.", object...),
		overdue: desc("object_overdue", "1 if an object has been in progress for longer than its budget.", object...),
		capped:  desc("objects_capped", "Number of objects that are not Current and have no series of their own."),
		up:      desc("source_up", "1 if the cluster answers and its first lists are complete.", "cluster"),
		lag:     desc("source_lag_seconds", "For how long the oldest change that has come from the cluster is not shown.", "cluster")}
}

// Describe is a method of prometheus.Collector.
func (m *Metrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.objects, m.unhealthy, m.since, m.overdue, m.capped, m.up, m.lag} {
		out <- d
	}
}

// Collect is a method of prometheus.Collector.
func (m *Metrics) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	counts := map[[5]string]int{}
	reasons := map[[2]string]map[string]bool{}
	shown, capped := 0, 0
	for r := range m.fleet.Rows() {
		counts[[5]string{r.Cluster(), r.Group, r.Kind, r.Namespace, string(r.Verdict)}]++
		if r.Verdict == verdict.Current {
			continue
		}
		if shown == m.series {
			capped++
			continue
		}
		shown++
		kind := [2]string{r.Group, r.Kind}
		if reasons[kind] == nil {
			reasons[kind] = map[string]bool{}
		}
		reason := r.Reason
		if known := reasons[kind]; !known[reason] {
			if len(known) < mostReasons {
				known[reason] = true
			} else {
				reason = "other"
			}
		}
		object := []string{r.Cluster(), r.Group, r.Kind, r.Namespace, r.Name}
		gauge(m.unhealthy, 1, append(object, string(r.Verdict), r.Class(), reason)...)
		if since := r.Since(); !since.IsZero() {
			gauge(m.since, float64(since.Unix()), object...)
		}
		overdue := 0.0
		if r.Overdue {
			overdue = 1
		}
		gauge(m.overdue, overdue, object...)
	}
	for labels, n := range counts {
		gauge(m.objects, float64(n), labels[:]...)
	}
	gauge(m.capped, float64(capped))
	for _, s := range m.fleet.Sources() {
		up := 0.0
		if state := s.State().State; state == "live" || state == "behind" {
			up = 1
		}
		gauge(m.up, up, s.Name)
		gauge(m.lag, s.Lag().Seconds(), s.Name)
	}
}
