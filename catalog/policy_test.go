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
		"  conditions:", "  dialect: knative\n  retired: [Compiled]\n  churn: {writes: 5, window: 1h, hold: true}\n  conditions:",
		"  - type: Ready", "  - type: Succeeded\n    initial: healthy\n    volatile: [ids, order]")
	set, err := Load(map[string][]byte{"thing.yaml": []byte(in)})
	if err != nil {
		t.Fatal(err)
	}
	d := set.Kinds()[0].Declaration
	got := []any{d.Retired, d.Churn, d.Types[0].Lifecycle, d.Types[0].Initial, d.Types[0].Volatile}
	want := []any{[]string{"Compiled"}, &conditions.Churn{Writes: 5, Window: time.Hour, Hold: true}, conditions.LifecycleCompletion,
		conditions.InitialHealthy, []conditions.Volatile{conditions.VolatileIDs, conditions.VolatileOrder}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
