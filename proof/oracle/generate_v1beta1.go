// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 the deprecated functions are the ones to compare with

package oracle

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
)

// objectV1 is an object with conditions, as upstream wants it.
type objectV1 struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	list clusterv1.Conditions
	sets int // how often the list was set
}

func (o *objectV1) GetV1Beta1Conditions() clusterv1.Conditions  { return o.list }
func (o *objectV1) SetV1Beta1Conditions(c clusterv1.Conditions) { o.list = c; o.sets++ }
func (o *objectV1) DeepCopyObject() runtime.Object              { c := *o; return &c }

// entry is a condition without its time, comparable.
type entry struct {
	Type, Status, Severity, Reason, Message string
}

// result is a condition or none.
type result struct {
	Made bool
	Is   entry
}

func resultOfTheirs(c *clusterv1.Condition) result {
	if c == nil {
		return result{}
	}
	return result{true, entry{string(c.Type), string(c.Status), string(c.Severity), c.Reason, c.Message}}
}

func resultOfOurs(m rollup.Merged, ok bool) result {
	if !ok {
		return result{}
	}
	c := m.Condition
	return result{true, entry{c.Type, string(c.Status), string(c.Severity), c.Reason, c.Message}}
}

var typesV1 = []string{"Alpha", "Ready", "Available", "Paused", "Deleting", "Beta", "Gamma", "Zeta", "etcdReady", "x.io/Odd"}

// instants are few, so that ties are frequent.
var instants = []time.Time{
	time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC),
	time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC), {},
}

func messages(s *Source) string {
	return Pick(s, "", "text", "other text", "* bullet\n* bullet", "two\nlines\n", "with\ttab", "100%s %d%%", "ünïcödé ✓", "3 * 4")
}

func reasons(s *Source) string {
	return Pick(s, "Broken", "", "Waiting", "Other", "Failed @ Machine/m-1", "@")
}

// conditionV1 makes a condition. Odd statuses and severities are rare.
func conditionV1(s *Source, conditionType string) clusterv1.Condition {
	c := clusterv1.Condition{
		Type: clusterv1.ConditionType(conditionType), Status: Pick(s, corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown),
		Reason: reasons(s), Message: messages(s), LastTransitionTime: metav1.Time{Time: Pick(s, instants...)},
	}
	if c.Status == corev1.ConditionFalse || s.Percent(5) {
		c.Severity = Pick(s, clusterv1.ConditionSeverityError, clusterv1.ConditionSeverityWarning, clusterv1.ConditionSeverityInfo)
		if s.Percent(5) {
			c.Severity = ""
		}
	}
	if s.Percent(3) {
		c.Status, c.Severity = "Odd", ""
	}
	return c
}

// listV1 makes the list of an object; 5 % of the types come twice.
func listV1(s *Source, max int) clusterv1.Conditions {
	var list clusterv1.Conditions
	for n := s.N(max + 1); len(list) < n; {
		t := Pick(s, typesV1...)
		repeated := slices.ContainsFunc(list, func(c clusterv1.Condition) bool { return string(c.Type) == t })
		if repeated && (t == "Ready" || !s.Percent(5)) {
			n--
			continue
		}
		list = append(list, conditionV1(s, t))
	}
	return list
}

func oursV1(c *clusterv1.Condition) *conditions.Condition {
	if c == nil {
		return nil
	}
	out := conditions.Condition{Severity: conditions.Severity(c.Severity)}
	out.Type, out.Status, out.Reason, out.Message = string(c.Type), conditions.Status(c.Status), c.Reason, c.Message
	out.LastTransitionTime = c.LastTransitionTime
	return &out
}

func types(s *Source, max int) []string {
	out := []string{}
	for range s.N(max + 1) {
		out = append(out, Pick(s, typesV1...))
	}
	return out
}

func typed(list []string) []clusterv1.ConditionType {
	if list == nil {
		return nil
	}
	out := make([]clusterv1.ConditionType, len(list))
	for i := range list {
		out[i] = clusterv1.ConditionType(list[i])
	}
	return out
}

// ambiguous reports whether two groups of the same rank stand at the top, or objects cannot be distinguished: upstream sorts
// them unstably.
func ambiguous(inputs []rollup.Input) bool {
	type key struct {
		status   conditions.Status
		severity conditions.Severity
	}
	seen := map[int]key{}
	for i := range inputs {
		c := inputs[i].Condition
		if c == nil {
			continue
		}
		k := key{c.Status, c.Severity}
		if inputs[i].Polarity == conditions.Negative {
			switch k.status {
			case conditions.True:
				k.status = conditions.False
			case conditions.False:
				k.status = conditions.True
			}
		}
		rank := 99
		switch {
		case k.status == conditions.True:
			rank = 3
		case k.status == conditions.Unknown:
			rank = 4
		case k.status == conditions.False && k.severity != "":
			continue // a rank of its own
		}
		if other, there := seen[rank]; there && other != k {
			return true
		}
		seen[rank] = k
	}
	return false
}
