// SPDX-License-Identifier: Apache-2.0

package catalogcheck

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
)

// TestCostOfReasons: checking a catalog takes memory in proportion to the number of its reasons.
func TestCostOfReasons(t *testing.T) {
	allocated := func(n int) uint64 {
		var b strings.Builder
		b.WriteString("apiVersion: tristate.dev/v1alpha1\nkind: ConditionCatalog\nmetadata: {name: lamps.example.org}\nspec:\n" +
			"  for: {group: example.org, kind: Lamp, versions: [v1]}\n  dialect: core\n  conditions:\n" +
			"  - type: Ready\n    meaning: The lamp is on.\n    role: summary\n    polarity: positive\n    presence: always\n    reasons:\n" +
			"    - {reason: On, status: \"True\", class: ok, meaning: It is on.}\n")
		for i := range n {
			fmt.Fprintf(&b, "    - {reason: Broken%d, status: \"False\", class: terminal, meaning: Part %d is broken., remedy: Mend part %d.}\n", i, i, i)
		}
		e := evidence.New()
		e.File("lamps.yaml", []byte(b.String()), true)
		e.Join(nil)
		if len(e.Catalogs.Kinds) != 1 {
			t.Fatal(e.Catalogs.Errors, e.Unreadable)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		check.Run(e, All, check.Options{Now: time.Unix(0, 0)})
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := allocated(500), allocated(1000)
	if t.Logf("%d and %d bytes", few, many); many > 3*few {
		t.Errorf("%d bytes for 1,000 reasons, %d for 500", many, few)
	}
}
