// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestStamp(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	before := &metav1.Time{Time: now.Add(-time.Hour)}
	tests := map[string]struct {
		version, storedVersion string
		stored, want           *metav1.Time
	}{
		"the first version":         {"a", "", nil, Time(now)},
		"the same version":          {"a", "a", before, before},
		"another version":           {"b", "a", before, Time(now)},
		"no version any more":       {"", "a", before, before},
		"no version yet":            {"", "", nil, nil},
		"an older release's status": {"a", "a", nil, Time(now)},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, Stamp(test.version, test.storedVersion, test.stored, now)); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}
