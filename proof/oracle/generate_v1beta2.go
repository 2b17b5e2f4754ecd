// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

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
