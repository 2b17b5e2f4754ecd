// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/apply"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type common struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

type gadgetStatus struct {
	common `json:",inline"`

	Shelf   *reference        `json:"shelf,omitempty"`
	Since   *metav1.Time      `json:"since,omitempty"`
	Outputs map[string]string `json:"outputs,omitempty"`
	Parts   int32             `json:"parts"`
	Broken  int32             `json:"broken,omitempty"`
	Used    int64             `json:"used,omitempty"`
}

type reference struct {
	Name string `json:"name"`
}

// TestFields: the type of the status decides between zero and absent, as it does for the stored object.
func TestFields(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 600, time.FixedZone("", 3600))
	tests := map[string]struct {
		status gadgetStatus
		others []string
		want   apply.Fields
	}{
		"nothing": {gadgetStatus{}, nil, apply.Fields{"observedGeneration": nil, "shelf": nil, "since": nil, "outputs": nil, "parts": int64(0), "broken": nil, "used": nil}},
		"all": {gadgetStatus{common: common{3, []metav1.Condition{{Type: "Ready"}}}, Shelf: &reference{"s"}, Since: Time(at), Outputs: map[string]string{"a": "b"}, Parts: 2, Broken: 1, Used: 7},
			nil, apply.Fields{"observedGeneration": int64(3), "shelf": map[string]any{"name": "s"}, "since": "2026-01-02T02:04:05Z", "outputs": map[string]any{"a": "b"},
				"parts": int64(2), "broken": int64(1), "used": int64(7)}},
		"a field of another writer": {gadgetStatus{common: common{ObservedGeneration: 1}}, []string{"used"},
			apply.Fields{"observedGeneration": int64(1), "shelf": nil, "since": nil, "outputs": nil, "parts": int64(0), "broken": nil}},
		"no time, and an empty map": {gadgetStatus{Since: Time(time.Time{}), Outputs: map[string]string{}}, []string{"used", "broken", "shelf"},
			apply.Fields{"observedGeneration": nil, "since": nil, "outputs": nil, "parts": int64(0)}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Fields(&test.status, test.others...)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

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
