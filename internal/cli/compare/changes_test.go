// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/verdict"
)

func item(apiVersion, name string, is verdict.Status) render.Item {
	return render.Item{Object: render.ObjectRef{APIVersion: apiVersion, Kind: "Widget", Namespace: "shop", Name: name}, Verdict: is}
}

func TestChangesOf(t *testing.T) {
	type row struct {
		Way    way
		Name   string
		Change string
		Bad    bool
	}
	tests := map[string]struct {
		before, after []render.Item
		want          []row
	}{
		"the same":        {[]render.Item{item("a/v1", "x", "Failed")}, []render.Item{item("a/v1", "x", "Failed")}, nil},
		"another version": {[]render.Item{item("a/v1", "x", "Failed")}, []render.Item{item("a/v2", "x", "Failed")}, nil},
		"another group": {[]render.Item{item("a/v1", "x", "Current")}, []render.Item{item("b/v1", "x", "Current")},
			[]row{{gone, "x", "Current>", false}, {appeared, "x", ">Current", false}}},
		"every way": {
			[]render.Item{item("v1", "a", "Current"), item("v1", "b", "Failed"), item("v1", "c", "Current"), item("v1", "d", "InProgress"),
				item("v1", "e", "Current")},
			[]render.Item{item("v1", "e", "InProgress"), item("v1", "f", "Failed"), item("v1", "b", "Current"), item("v1", "a", "Degraded"),
				item("v1", "d", "Terminating")},
			[]row{{worse, "a", "Current>Degraded", true}, {worse, "e", "Current>InProgress", true}, {gone, "c", "Current>", false},
				{changed, "d", "InProgress>Terminating", false},
				{better, "b", "Failed>Current", false}, {appeared, "f", ">Failed", true}}},
	}
	for name, test := range tests {
		var got []row
		for _, c := range changesOf(test.before, test.after) {
			got = append(got, row{c.Way, c.Object.Name, string(c.Before + ">" + c.After), c.bad()})
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}
