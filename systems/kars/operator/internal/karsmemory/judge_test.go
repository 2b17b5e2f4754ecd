// SPDX-License-Identifier: Apache-2.0

package karsmemory

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	"github.com/tristate/tristate/systems/kars/operator/internal/echo"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
)

// TestStores: "AuthMisconfigured outranks MemoryStoreMissing", whatever the routers of several sandboxes observe and in whatever order:
// 401, 403 and 404 at once. A 404 is a store that is not yet present upstream, so that Ready awaits it.
func TestStores(t *testing.T) {
	says := func(text string) echo.Report {
		entry := echo.Entry{Kind: digest.Memory}
		if seen := "2026-01-01T00:00:00Z"; text == "" {
			entry.StoreSeenAt = &seen
		} else {
			entry.LastError = &text
		}
		return echo.Report{Entries: []echo.Entry{entry}}
	}
	fine, unauthorized, forbidden, missing := says(""), says(echo.PrefixAuth+" the store answers 401"),
		says(echo.PrefixAuth+" the store answers 403"),
		says(echo.PrefixMissing+" the store answers 404")
	tests := map[string]struct {
		reports []echo.Report
		want    map[string]string
	}{
		"fine": {[]echo.Report{fine}, map[string]string{"Ready": "True RouterEnforcing", "Progressing": "False Reconciled",
			"Degraded": "False Reconciled"}},
		"404": {[]echo.Report{fine, missing}, map[string]string{"Ready": "False AwaitingFoundryProvisioning",
			"Progressing": "True Reconciling", "Degraded": "True MemoryStoreMissing"}},
		"403": {[]echo.Report{fine, forbidden}, map[string]string{"Ready": "False AuthMisconfigured", "Progressing": "False Failed",
			"Degraded": "True AuthMisconfigured"}},
		"404, 403, 401": {[]echo.Report{missing, forbidden, unauthorized}, map[string]string{"Ready": "False AuthMisconfigured",
			"Progressing": "False Failed", "Degraded": "True AuthMisconfigured"}},
		"401, 404, 403": {[]echo.Report{unauthorized, missing, forbidden}, map[string]string{"Ready": "False AuthMisconfigured",
			"Progressing": "False Failed", "Degraded": "True AuthMisconfigured"}},
		"nobody refers": {nil, map[string]string{"Ready": "False AwaitingFoundryProvisioning", "Progressing": "False Reconciled",
			"Degraded": "False Reconciled"}},
	}
	for name, test := range tests {
		f := Facts{Publication: kit.Publication{Loads: true, Enforced: kit.Enforcement{Referrers: len(test.reports),
			Confirmed: len(test.reports)}}}
		for i, report := range test.reports {
			f.observe(string(rune('a'+i)), report)
		}
		p := BeginList(1, nil, time.Unix(0, 0))
		Judge(p, f)
		got := map[string]string{}
		for _, c := range p.Commit().Conditions() {
			got[c.Type] = string(c.Status) + " " + c.Reason
		}
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
}
