// SPDX-License-Identifier: Apache-2.0

package child

import (
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
)

// A child that is repaired five times in a minute is fought over: the writer stops for a minute, after the next five for two, up to ten.
const (
	fightRepairs = 5
	fightWindow  = time.Minute
	longestHold  = 10 * time.Minute
)

// FightError is a child that another writer changes again and again. It is the result of each Ensure until the writer tries again.
type FightError struct {
	Child string    // KIND NAMESPACE/NAME
	By    string    // the other writer with a field that it changes
	Until time.Time // when the child is written again
}

// Error names the child and the other writer. The text is the same until the writer tries again.
func (e *FightError) Error() string {
	return fmt.Sprintf("%s is changed again and again, %s; it is left as it is for a while", e.Child, e.By)
}

// held returns an error while nothing is repaired.
func (c *Writer) held(i *intent, r *record) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now().Before(r.until) {
		return &FightError{i.ref.String(), r.fight, r.until}
	}
	return nil
}

// repaired counts a repair, and stops repairing a child that is fought over.
func (c *Writer) repaired(i *intent, change string, by []taker) {
	c.Metrics.repaired(i.of.kind, i.ref.Kind, change)
	c.mu.Lock()
	r := c.written[i.of][i.ref]
	if r == nil {
		c.mu.Unlock()
		return
	}
	now := c.now()
	if now.Sub(r.until) > 2*longestHold {
		r.hold = 0
	}
	r.repairs = slices.DeleteFunc(append(r.repairs, now), func(at time.Time) bool { return now.Sub(at) >= fightWindow })
	note := ""
	if len(r.repairs) >= fightRepairs {
		r.hold = min(max(2*r.hold, fightWindow), longestHold)
		r.until, r.repairs, r.fight = now.Add(r.hold), nil, "it is deleted"
		if len(by) > 0 {
			r.fight = fmt.Sprintf("by %s: %s", by[0].manager, by[0].path)
		} else if change != "deleted" {
			r.fight = "by another writer"
		}
		note = (&FightError{Child: i.ref.String(), By: r.fight}).Error()
	}
	c.mu.Unlock()
	if note != "" {
		c.Metrics.fought(i.of.kind, i.ref.Kind)
		if c.Events != nil {
			c.Events.Eventf(i.owner, nil, corev1.EventTypeWarning, "ChildContested", "Repair", "%s", note)
		}
	}
}

// Metrics count repairs, under a namespace of the operator:
//
//	children_repaired_total{crd_kind,child_kind,change}   change: edited, deleted
//	children_contested_total{crd_kind,child_kind}         times that the writer stopped, because a child was changed again and again
type Metrics struct{ repairs, fights *prometheus.CounterVec }

// NewMetrics registers the metrics of a namespace, for example kars_controller.
func NewMetrics(namespace string, registry prometheus.Registerer) (*Metrics, error) {
	m := &Metrics{
		repairs: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: "children_repaired_total",
			Help: "Children that another writer had edited or deleted, and that were written again."}, []string{"crd_kind", "child_kind", "change"}),
		fights: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: "children_contested_total",
			Help: "Times that a child was left as it is, because another writer changed it again and again."}, []string{"crd_kind", "child_kind"}),
	}
	for _, c := range []prometheus.Collector{m.repairs, m.fights} {
		if err := registry.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *Metrics) repaired(owner, kind, change string) {
	if m != nil {
		m.repairs.WithLabelValues(owner, kind, change).Inc()
	}
}

func (m *Metrics) fought(owner, kind string) {
	if m != nil {
		m.fights.WithLabelValues(owner, kind).Inc()
	}
}
