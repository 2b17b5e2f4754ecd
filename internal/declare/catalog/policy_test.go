// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
)

// What a document says about a condition's course reaches the library.
func TestPolicies(t *testing.T) {
	in := replaced(t,
		"  conditions:", "  dialect: knative\n  retired: [Compiled]\n  conditions:",
		"  - type: Ready", "  - type: Succeeded")
	set, err := Load(map[string][]byte{"thing.yaml": []byte(in)})
	if err != nil {
		t.Fatal(err)
	}
	d := set.Kinds()[0].Declaration
	got := []any{d.Retired, d.Types[0].Lifecycle}
	want := []any{[]string{"Compiled"}, conditions.LifecycleCompletion}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// In dialect kstatus the abnormal conditions need no reasons: they have those of the cells that they follow from.
func TestKstatusFollowsFromClasses(t *testing.T) {
	in := replaced(t,
		"  conditions:", "  dialect: kstatus\n  conditions:\n  - {type: Reconciling, meaning: Work is going on.}\n  - {type: Stalled, meaning: A person is needed.}",
		`meaning: It does not.`, `class: terminal, meaning: It does not.`)
	set, err := Load(map[string][]byte{"thing.yaml": []byte(in)})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	pass := set.Kinds()[0].Declaration.Begin(1, nil, now)
	pass.Report("Ready", conditions.False, "Broken", "beyond repair")
	var got []string
	for _, c := range pass.Commit().Conditions() {
		got = append(got, c.Type+"="+string(c.Status)+" "+c.Reason)
	}
	if diff := cmp.Diff([]string{"Stalled=True Broken", "Ready=False Broken"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
