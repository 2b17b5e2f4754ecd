// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"errors"
	"testing"

	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/systems/kars/operator/internal/echo"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	"k8s.io/apimachinery/pkg/types"
)

// TestQuorum: of three referrers one may lie and one may sleep. The document's quorum is one confirmation; a sandbox without a router
// counts against nothing under either quorum, and alone it confirms nothing.
func TestQuorum(t *testing.T) {
	right, wrong := "sha256:right", "sha256:wrong"
	says := func(digests ...*string) echo.Report {
		var r echo.Report
		for _, d := range digests {
			r.Entries = append(r.Entries, echo.Entry{Kind: "AgtProfile", Digest: d})
		}
		return r
	}
	honest, liar, asleep := says(&right), says(&wrong), echo.Report{Err: echo.Off("the sandbox is suspended")}
	silent, torn := echo.Report{Err: errors.New("the router does not answer: timeout")}, says(&right, &wrong)
	tests := map[string]struct {
		reports  []echo.Report
		text     string
		one, all bool
		waits    bool // under kit.All
	}{
		"nobody refers":           {nil, "0 of 0 routers have loaded it", false, false, false},
		"honest, liar and asleep": {[]echo.Report{honest, liar, asleep}, "1 of 3 routers have loaded it; not of b; off: c", true, false, true},
		"honest and asleep":       {[]echo.Report{honest, asleep}, "1 of 2 routers have loaded it; off: b", true, true, false},
		"honest and silent":       {[]echo.Report{honest, silent}, "1 of 2 routers have loaded it; not of b", true, false, true},
		"liars":                   {[]echo.Report{liar, torn}, "0 of 2 routers have loaded it; not of a, b", false, false, true},
		"asleep":                  {[]echo.Report{asleep, asleep}, "0 of 2 routers have loaded it; off: a, b", false, false, false},
		"an answer that is two":   {[]echo.Report{torn}, "0 of 1 routers have loaded it; not of a", false, false, true},
		"the same answer twice":   {[]echo.Report{says(&right, &right)}, "1 of 1 routers have loaded it", true, true, false},
		"more laggards than a line": {[]echo.Report{liar, liar, liar, liar, liar}, "0 of 5 routers have loaded it; not of a, b, c and 2 others",
			false, false, true},
		"all of them": {[]echo.Report{honest, honest}, "2 of 2 routers have loaded it", true, true, false},
		"honest, in doubt, a reason": {[]echo.Report{honest, {Err: errors.New("the Deployment is not available")}},
			"1 of 2 routers have loaded it; not of b", true, false, true},
	}
	for name, test := range tests {
		store := &echo.Store{}
		var referrers []types.NamespacedName
		for i, report := range test.reports {
			sandbox := types.NamespacedName{Namespace: "n", Name: string(rune('a' + i))}
			referrers = append(referrers, sandbox)
			store.Set(sandbox, report)
		}
		for quorum, want := range map[kit.Quorum]bool{"": test.one, kit.One: test.one, kit.All: test.all} {
			e, err := kit.Enforced(store, quorum, referrers, "AgtProfile", right)
			if err != nil || e.Done() != want || e.String() != test.text {
				t.Errorf("%s, quorum %q: done %v, %q, %v", name, quorum, e.Done(), e, err)
			}
			if quorum == kit.All && e.Waits() != test.waits {
				t.Errorf("%s: waits %v", name, e.Waits())
			}
		}
	}
	_, err := kit.Enforced(&echo.Store{}, kit.One, []types.NamespacedName{{Name: "a"}}, "AgtProfile", right)
	if !errors.Is(err, operator.ErrNotYet) {
		t.Errorf("of a router that was never asked: %v", err)
	}
	for text, want := range map[string]string{"one": "one", "all": "all", "most": "", "": ""} {
		if q, _ := kit.ParseQuorum(text); string(q) != want {
			t.Errorf("quorum %q is %q", text, q)
		}
	}
}
