// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions/wire"
	"sigs.k8s.io/yaml"
)

const routes = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: routes.example.com}
spec:
  for: {group: example.com, kind: Route}
  path: status.parents[*].conditions
  conditions:
  - type: Accepted
    meaning: The gateway took it.
    aliases: [Acepted]
    reasons:
    - {reason: NotAllowed, status: "False", meaning: It did not.}
    - {reason: Waiting, status: "False", severity: Info, meaning: It will.}
    - {reason: Accepted, status: "True", meaning: It did.}
  - type: Conflicted
    meaning: Another route was first.
    polarity: negative
    presence: when-true
    reasons: [{reason: Conflict, status: "True", meaning: It was.}]
`

func routeKind(t *testing.T) *Kind {
	t.Helper()
	set, err := Load(map[string][]byte{"routes.yaml": []byte(routes)})
	if err != nil {
		t.Fatal(err)
	}
	return set.Kinds()[0]
}

func parentOf(name, conditionList string) map[string]any {
	var out map[string]any
	if err := yaml.Unmarshal(fmt.Appendf(nil, "{parentRef: {name: %s}, conditions: [%s]}", name, conditionList), &out); err != nil {
		panic(err)
	}
	return out
}

func TestList_ofMany(t *testing.T) {
	const (
		yes     = `{type: Accepted, status: "True", reason: Accepted}`
		no      = `{type: Accepted, status: "False", reason: NotAllowed}`
		waiting = `{type: Accepted, status: "False", reason: Waiting}`
		old     = `{type: Accepted, status: "True", reason: Accepted, observedGeneration: 1}`
		fails   = `{type: Conflicted, status: "True", reason: Conflict}`
		odd     = `3, {status: "True"}`
		foreign = `{type: Foreign, status: "False", reason: X}`
	)
	tests := map[string]struct {
		lists []string
		want  []string
	}{
		"no lists":                {nil, nil},
		"one":                     {[]string{yes}, []string{"Accepted=True Accepted"}},
		"one of two is unhealthy": {[]string{yes, no}, []string{"Accepted=False NotAllowed"}},
		"by severity":             {[]string{waiting, no, yes}, []string{"Accepted=False NotAllowed"}},
		"under an alias":          {[]string{yes, `{type: Acepted, status: "False", reason: NotAllowed}`}, []string{"Acepted=False NotAllowed"}},
		"one is older":            {[]string{yes, old}, []string{"Accepted=True Accepted @1"}},
		"one says nothing":        {[]string{yes, ""}, []string{"Accepted=Unknown NotReported: not reported for parentRef.name=p1"}},
		"negative":                {[]string{yes, yes + "," + fails}, []string{"Accepted=True Accepted", "Conflicted=True Conflict"}},
		"odd entries":             {[]string{odd + "," + yes}, []string{"Accepted=True Accepted"}},
		"not declared":            {[]string{yes + "," + foreign, yes}, []string{"Accepted=True Accepted", "Foreign=False X"}},
	}
	k := routeKind(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var parents []any
			for i, list := range tt.lists {
				parents = append(parents, parentOf(fmt.Sprintf("p%d", i), list))
			}
			for range parents {
				parents = append(parents[1:], parents[0]) // the order of the lists does not matter
				if diff := cmp.Diff(tt.want, listed(k, parents)); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			}
			if len(parents) == 0 && k.List(map[string]any{"status": map[string]any{"parents": parents}}) != nil {
				t.Error("there is a list")
			}
		})
	}
}

func listed(k *Kind, parents []any) []string {
	list, _ := wire.FromUnstructured(k.List(map[string]any{
		"metadata": map[string]any{"generation": int64(2)}, "status": map[string]any{"parents": slices.Clone(parents)}}))
	var out []string
	for _, c := range list {
		line := fmt.Sprintf("%s=%s %s", c.Type, c.Status, c.Reason)
		if c.Message != "" {
			line += ": " + c.Message
		}
		if c.ObservedGeneration > 0 {
			line += fmt.Sprintf(" @%d", c.ObservedGeneration)
		}
		out = append(out, line)
	}
	return out
}

func TestLists(t *testing.T) {
	k := routeKind(t)
	var got []string
	for _, place := range k.Lists(map[string]any{"status": map[string]any{"parents": []any{parentOf("a", ""), 7,
		parentOf("b", "{type: Accepted}")}}}) {
		got = append(got, fmt.Sprintf("%s %s %d", place.Path, place.Key, len(place.List)))
	}
	want := []string{"status.parents[0].conditions parentRef.name=a 0", "status.parents[2].conditions parentRef.name=b 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, object := range []map[string]any{nil, {"status": 3}, {"status": map[string]any{"parents": "x"}}} {
		if places, list := k.Lists(object), k.List(object); places != nil || list != nil {
			t.Errorf("%v: want nothing, got %v and %v", object, places, list)
		}
	}
}

// FuzzList: what stands in the lists never panics, and their order does not matter.
func FuzzList(f *testing.F) {
	f.Add(`[{"name":"a","conditions":[{"type":"Accepted","status":"True"}]},{"name":"b"}]`)
	f.Add(`[{"conditions":[{"type":"Acepted","status":"x","reason":7,"observedGeneration":1.5},3]},{"conditions":{}},null]`)
	f.Add(`[{"parentRef":{"name":"a","port":1},"conditions":[{"type":"Conflicted","status":"True"},{"type":"Z"},{"type":"A"}]}]`)
	set, err := Load(map[string][]byte{"routes.yaml": []byte(routes)})
	if err != nil {
		f.Fatal(err)
	}
	k := set.Kinds()[0]
	f.Fuzz(func(t *testing.T, text string) {
		var parents []any
		if json.Unmarshal([]byte(text), &parents) != nil {
			return
		}
		forth := listed(k, parents)
		slices.Reverse(parents)
		if diff := cmp.Diff(forth, listed(k, parents)); diff != "" {
			for _, line := range forth {
				if strings.Contains(line, "status.parents[") { // an element without a key is named by its place
					return
				}
			}
			t.Errorf("the order matters (-forth +back):\n%s", diff)
		}
	})
}
