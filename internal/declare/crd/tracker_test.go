// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/crd"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestTracker(t *testing.T) {
	widget := schema.GroupKind{Group: "example.org", Kind: "Widget"}
	var known crd.Tracker
	find := func(word string) string {
		if m := known.Find(word); m != nil {
			return m.Resource.String()
		}
		return ""
	}
	if known.Of(widget) != nil || known.Remove("widgets.example.org") != nil || find("widgets") != "" {
		t.Error("an empty tracker knows a definition")
	}
	put := func(pairs ...string) *crd.Definition {
		t.Helper()
		d, err := read(t, pairs...)
		if err != nil {
			t.Fatal(err)
		}
		known.Put(d)
		return d
	}
	put("ESTABLISHED", "False")
	if got := find("widgets"); got != "" || known.Of(widget) == nil {
		t.Errorf("a definition that is not established is served as %q", got)
	}
	first := put()
	for word, want := range map[string]string{
		"widgets": "example.org/v2, Resource=widgets", "Widget.example.org": "example.org/v2, Resource=widgets",
		"wg.v1beta1.example.org": "example.org/v1beta1, Resource=widgets", "wg.v3.example.org": "", "widgets.example.net": "", "gadgets": "",
	} {
		if diff := cmp.Diff(want, find(word)); diff != "" {
			t.Errorf("%s: -want +got\n%s", word, diff)
		}
	}
	second := put("name: widgets.example.org", "name: other.example.org") // the kind is defined once more
	if diff := cmp.Diff([]string{"other.example.org", "widgets.example.org"}, known.Names()); diff != "" {
		t.Errorf("names: -want +got\n%s", diff)
	}
	if got := known.Remove(first.Name); got != first || known.Of(widget) != second {
		t.Error("with the first definition the kind of the second one went")
	}
	if known.Remove(second.Name); known.Of(widget) != nil || len(known.Names()) > 0 {
		t.Error("a removed definition is known")
	}
}
