// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"slices"
	"testing"

	"github.com/tristate/tristate/verdict"
)

// TestWeight: the weights of causes and the order in which a parent takes over children follow verdict.Statuses, but for the exceptions
// that they document.
func TestWeight(t *testing.T) {
	known := slices.DeleteFunc(slices.Clone(verdict.Statuses), func(s verdict.Status) bool { return s == verdict.Unknown })
	for i, better := range known {
		for _, worse := range known[i+1:] {
			if weight(better) > weight(worse) {
				t.Errorf("%s weighs more than %s, which is worse", better, worse)
			}
			if exception := better == verdict.InProgress && worse == verdict.Degraded; severer(better, worse) && !exception {
				t.Errorf("a parent takes over %s before %s, which is worse", better, worse)
			}
		}
	}
	if weight(verdict.Unknown) >= weight(verdict.InProgress) {
		t.Error("an object of which nothing is known explains that another is in progress")
	}
}
