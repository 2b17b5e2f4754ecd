// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/render"
)

func item(apiVersion, name, verdict string) render.Item {
	return render.Item{Object: render.ObjectRef{APIVersion: apiVersion, Kind: "Widget", Namespace: "shop", Name: name}, Verdict: verdict}
}

func TestLists(t *testing.T) {
	type row struct {
		Way    Way
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
		"another group":   {[]render.Item{item("a/v1", "x", "Current")}, []render.Item{item("b/v1", "x", "Current")}, []row{{Gone, "x", "Current>", false}, {Appeared, "x", ">Current", false}}},
		"every way": {
			[]render.Item{item("v1", "a", "Current"), item("v1", "b", "Failed"), item("v1", "c", "Current"), item("v1", "d", "InProgress"), item("v1", "e", "Current")},
			[]render.Item{item("v1", "e", "InProgress"), item("v1", "f", "Failed"), item("v1", "b", "Current"), item("v1", "a", "Degraded"), item("v1", "d", "Terminating")},
			[]row{{Worse, "a", "Current>Degraded", true}, {Worse, "e", "Current>InProgress", true}, {Gone, "c", "Current>", false}, {Changed, "d", "InProgress>Terminating", false},
				{Better, "b", "Failed>Current", false}, {Appeared, "f", ">Failed", true}}},
	}
	for name, test := range tests {
		var got []row
		for _, c := range Lists(test.before, test.after) {
			got = append(got, row{c.Way, c.Object.Name, c.Before + ">" + c.After, c.Bad()})
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}
