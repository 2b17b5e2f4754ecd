// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/conditions"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Metrics are the metrics of the conditions of some kinds; a [prometheus.Collector]. With prefix P there are
//
//	P_status_condition_count                    gauge      objects whose condition has the status
//	P_status_condition_current_status_seconds   gauge      how long the longest of them has had it
//	P_status_condition_transitions_total        counter    changes to the status
//	P_status_condition_transition_seconds       histogram  how long a status had lasted when it changed
//
// each by kind (Kind.group), type and status, and by kind
//
//	P_status_condition_events_dropped_total     counter    events over the limit of [Events]
//
// Labels are bounded by the declarations: an undeclared type is not counted, and no
// object is named. A series goes with its last object.
type Metrics struct {
	Now func() time.Time // the clock; nil: time.Now

	count, current *prometheus.Desc
	transitions    *prometheus.CounterVec
	dropped        *prometheus.CounterVec
	seconds        *prometheus.HistogramVec

	mu      sync.Mutex
	objects map[schema.GroupKind]map[types.NamespacedName][]held
	numbers map[string]uint16 // of the names of types
	names   []string          // by their numbers
	scratch []held            // for Observe
}

// held is a status that a condition of an object has.
type held struct {
	since  int64  // seconds since 1970; 0 if not known
	name   uint16 // of the type: the number of its name
	status uint8  // an index of statuses
}

var statuses = []conditions.Status{conditions.Unknown, conditions.True, conditions.False}

type series struct {
	kind, name string
	status     conditions.Status
}

var seriesLabels = []string{"kind", "type", "status"}

// NewMetrics returns metrics whose names begin with the prefix.
func NewMetrics(prefix string) *Metrics {
	name := func(s string) string { return prometheus.BuildFQName(prefix, "status_condition", s) }
	return &Metrics{
		objects: map[schema.GroupKind]map[types.NamespacedName][]held{}, numbers: map[string]uint16{},
		count: prometheus.NewDesc(name("count"), "Objects whose condition has the status, by kind, type and status.", seriesLabels, nil),
		current: prometheus.NewDesc(name("current_status_seconds"),
			"How long a condition has had its status, the longest of all objects, by kind, type and status.", seriesLabels, nil),
		transitions: prometheus.NewCounterVec(prometheus.CounterOpts{Name: name("transitions_total"),
			Help: "Changes of a condition's status, by kind, type and the new status."}, seriesLabels),
		dropped: prometheus.NewCounterVec(prometheus.CounterOpts{Name: name("events_dropped_total"),
			Help: "Events of changes that were not sent, because there were too many at a time, by kind."}, []string{"kind"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name("transition_seconds"),
			Help:    "How long a condition had had its status when it changed, by kind, type and the old status.",
			Buckets: prometheus.ExponentialBuckets(1, 4, 10)}, seriesLabels),
	}
}

// kindLabel is the value of label kind: Kind.group.
func kindLabel(group, kind string) string {
	return schema.GroupKind{Group: group, Kind: kind}.String()
}

// Observe records the conditions that an object has now. A nil Metrics records nothing.
func (m *Metrics) Observe(k *conditions.Kind, object types.NamespacedName, list []conditions.Condition) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.scratch[:0]
	for i := range list {
		for j := range k.Types {
			if k.Types[j].Name != list[i].Type {
				continue
			}
			number, ok := m.number(k.Types[j].Name)
			if !ok {
				break
			}
			h := held{name: number, status: uint8(slices.Index(statuses, status(list[i].Status)))}
			if t := list[i].LastTransitionTime; !t.IsZero() {
				h.since = t.Unix()
			}
			now = append(now, h)
			break
		}
	}
	m.scratch = now
	gk := schema.GroupKind{Group: k.Group, Kind: k.Kind}
	if m.objects[gk] == nil {
		m.objects[gk] = map[types.NamespacedName][]held{}
	}
	if was, known := m.objects[gk][object]; !known || !slices.Equal(was, now) {
		m.objects[gk][object] = slices.Clone(now)
	}
}

// number returns the number of the name of a type; false for more names than catalogs can reasonably declare.
func (m *Metrics) number(name string) (uint16, bool) {
	n, known := m.numbers[name]
	if !known {
		if len(m.names) > math.MaxUint16 {
			return 0, false
		}
		n = uint16(len(m.names))
		m.numbers[name], m.names = n, append(m.names, name)
	}
	return n, true
}

// Forget drops an object that is gone.
func (m *Metrics) Forget(k *conditions.Kind, object types.NamespacedName) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objects[schema.GroupKind{Group: k.Group, Kind: k.Kind}], object)
}

// written counts changes that were written, and events of them that were dropped.
func (m *Metrics) written(k *conditions.Kind, transitions []conditions.Transition, dropped int) {
	if m == nil {
		return
	}
	kind := kindLabel(k.Group, k.Kind)
	for _, tr := range transitions {
		if tr.To.Type != "" {
			m.transitions.WithLabelValues(kind, tr.Type, string(status(tr.To.Status))).Inc()
		}
		if from, to := tr.From.LastTransitionTime, tr.To.LastTransitionTime; !from.IsZero() && !to.Time.Before(from.Time) {
			m.seconds.WithLabelValues(kind, tr.Type, string(status(tr.From.Status))).Observe(to.Sub(from.Time).Seconds())
		}
	}
	if dropped > 0 {
		m.dropped.WithLabelValues(kind).Add(float64(dropped))
	}
}

// status bounds the label to the three statuses: another one is to be read as Unknown (GEP-1364).
func status(s conditions.Status) conditions.Status {
	switch s {
	case conditions.True, conditions.False:
		return s
	}
	return conditions.Unknown
}

// Describe implements [prometheus.Collector].
func (m *Metrics) Describe(out chan<- *prometheus.Desc) {
	out <- m.count
	out <- m.current
	m.transitions.Describe(out)
	m.dropped.Describe(out)
	m.seconds.Describe(out)
}

// Collect implements [prometheus.Collector].
func (m *Metrics) Collect(out chan<- prometheus.Metric) {
	m.transitions.Collect(out)
	m.dropped.Collect(out)
	m.seconds.Collect(out)
	clock := time.Now
	if m.Now != nil {
		clock = m.Now
	}
	now := clock().Unix()
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	counts, longest := map[series]int{}, map[series]int64{}
	m.mu.Lock()
	defer m.mu.Unlock()
	for gk, objects := range m.objects {
		kind := gk.String()
		for _, list := range objects {
			for _, h := range list {
				s := series{kind, m.names[h.name], statuses[h.status]}
				counts[s]++
				if h.since == 0 {
					continue
				}
				age := max(0, now-h.since)
				longest[s] = max(longest[s], age)
			}
		}
	}
	for s, n := range counts {
		gauge(m.count, float64(n), s.kind, s.name, string(s.status))
	}
	for s, age := range longest {
		gauge(m.current, float64(age), s.kind, s.name, string(s.status))
	}
}
