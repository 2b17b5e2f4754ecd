// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
)

// objectV2 is an object as upstream's second conditions package sees it.
type objectV2 struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	list []metav1.Condition
	sets int // how often the list was set
}

func (o *objectV2) GetConditions() []metav1.Condition  { return o.list }
func (o *objectV2) SetConditions(c []metav1.Condition) { o.list = c; o.sets++ }
func (o *objectV2) DeepCopyObject() runtime.Object     { c := *o; return &c }

// made is a condition, or none, or an error.
type made struct {
	Is    metav1.Condition
	None  bool
	Error bool
}

func madeByTheirs(c *metav1.Condition, err error) made {
	if c == nil {
		return made{None: err == nil, Error: err != nil}
	}
	out := *c
	out.LastTransitionTime = metav1.Time{}
	return made{Is: out, Error: err != nil}
}

// madeByOurs returns the error of upstream for a result that does not exist.
func madeByOurs(m rollup.Merged, ok bool) made {
	if !ok {
		return made{Error: true}
	}
	return made{Is: m.Condition.Condition}
}

// long is a message beyond the limit of the API server.
var long = strings.Repeat("very long ✓ ", 2_800)

func messagesV2(s *Source) string {
	switch s.N(5) {
	case 1:
		return Pick(s, "* bullet", "* one\n* two", "* one\n  * nested\n* two", "two\nlines\n", "\n", "text\n* bullet", "\tTab", "*no", "a *\tb",
			"a *\fb", "*\r\n* x", "*")
	case 2:
		return Pick(s, "ünïcödé ✓", "3 * 4", "100%s %d", " * ", "a\n\nb", "* \n", "*\vx", "*\u00a0x")
	case 3:
		if s.Percent(1) {
			return long
		}
	}
	return Pick(s, "", "text", "other text", "third", "fourth")
}

// conditionV2 makes a condition. Odd statuses are rare.
func conditionV2(s *Source, conditionType string) metav1.Condition {
	c := metav1.Condition{
		Type: conditionType, Status: Pick(s, metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown),
		Reason: reasons(s), Message: messagesV2(s), LastTransitionTime: metav1.Time{Time: Pick(s, instants...)},
		ObservedGeneration: int64(s.N(4)),
	}
	if s.Percent(3) {
		c.Status = Pick[metav1.ConditionStatus](s, "Odd", "", "true")
	}
	return c
}

// listV2 makes the list of an object; 5 % of the types come twice.
func listV2(s *Source, max int, types []string) []metav1.Condition {
	var list []metav1.Condition
	for n := s.N(max + 1); len(list) < n; {
		t := Pick(s, types...)
		if has(list, t) && !s.Percent(5) {
			n--
			continue
		}
		list = append(list, conditionV2(s, t))
	}
	return list
}

func has(list []metav1.Condition, conditionType string) bool {
	return slices.ContainsFunc(list, func(c metav1.Condition) bool { return c.Type == conditionType })
}

func oursV2(c metav1.Condition) *conditions.Condition { return &conditions.Condition{Condition: c} }
