// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// object is document as a client gets it from an API server.
func object(t *testing.T, edit func(map[string]any)) map[string]any {
	t.Helper()
	var tree, out map[string]any
	if err := yaml.Unmarshal([]byte(document), &tree); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	edit(out)
	return out
}

func TestFromObject(t *testing.T) {
	first := func(o map[string]any) map[string]any {
		return o["spec"].(map[string]any)["conditions"].([]any)[0].(map[string]any)
	}
	tests := map[string]struct {
		edit func(map[string]any)
		want []string
	}{
		"as in the file": {edit: func(map[string]any) {}},
		"from a server": {edit: func(o map[string]any) {
			o["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Accepted"}}}
			metadata := o["metadata"].(map[string]any)
			metadata["uid"], metadata["generation"], metadata["resourceVersion"] = "1", int64(3), "12"
			metadata["creationTimestamp"] = nil
			metadata["managedFields"] = []any{map[string]any{"manager": "m"}}
		}},
		"numbers": {edit: func(o map[string]any) {
			tolerate := []any{}
			for _, max := range []any{float64(1), int64(1), 1} {
				tolerate = append(tolerate, map[string]any{"items": "true", "max": max})
			}
			first(o)["derive"] = map[string]any{"aggregate": map[string]any{"of": "a", "tolerate": tolerate}}
		}},
		"wrong": {edit: func(o map[string]any) {
			o["metadata"].(map[string]any)["namespace"] = "default"
			first(o)["meaning"] = true
			first(o)["polarity"] = "negativ"
			delete(first(o), "type")
			tolerate := []any{}
			for _, max := range []any{math.NaN(), 1e300, 1.5, "x", nil} {
				tolerate = append(tolerate, map[string]any{"items": "true", "max": max})
			}
			first(o)["derive"] = map[string]any{"aggregate": map[string]any{"of": "a", "tolerate": tolerate}}
		}, want: []string{
			`conditioncatalogs/things.example.com: metadata.namespace: unknown key "namespace"; use one of "name", "labels", "annotations"`,
			`conditioncatalogs/things.example.com: spec.conditions[0].derive.aggregate.tolerate[0].max: max is a number (.nan), want a whole number`,
			`conditioncatalogs/things.example.com: spec.conditions[0].derive.aggregate.tolerate[1].max: max is a number (1e+300), want a whole number`,
			`conditioncatalogs/things.example.com: spec.conditions[0].derive.aggregate.tolerate[2].max: max is a number (1.5), want a whole number`,
			`conditioncatalogs/things.example.com: spec.conditions[0].derive.aggregate.tolerate[3].max: max is a string, want a whole number`,
			`conditioncatalogs/things.example.com: spec.conditions[0].derive.aggregate.tolerate[4].max: max is empty; give it a value or leave the key out`,
			`conditioncatalogs/things.example.com: spec.conditions[0].meaning: meaning is a bool (true), want a string; write it in quotes: "True"`,
			`conditioncatalogs/things.example.com: spec.conditions[0].polarity: unknown polarity "negativ"; did you mean "negative"?`,
			`conditioncatalogs/things.example.com: spec.conditions[0].type: type is missing`,
		}},
		"of another kind": {edit: func(o map[string]any) { o["kind"], o["apiVersion"] = "Pod", "v1" }, want: []string{
			`conditioncatalogs/things.example.com: kind: document is a Pod, not a catalog; keep only documents of kind ConditionCatalog in the files of catalogs`}},
		"empty": {edit: func(o map[string]any) { clear(o) }, want: []string{
			`conditioncatalogs: apiVersion: apiVersion is missing; add apiVersion: tristate.dev/v1alpha1`,
			`conditioncatalogs: kind: kind is missing; add kind: ConditionCatalog`,
			`conditioncatalogs: metadata: metadata is missing`,
			`conditioncatalogs: spec: spec is missing`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			source, err := FromObject(object(t, test.edit))
			if diff := cmp.Diff(test.want, lines(err)); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
			if (source == nil) != (test.want != nil) {
				t.Errorf("source is %v with %d errors", source, len(test.want))
			}
		})
	}
}

// What is read from an object is what is read from the same catalog in a file.
func TestFromObjectLikeParse(t *testing.T) {
	fromFile, err := Parse("f.yaml", []byte(document))
	if err != nil {
		t.Fatal(err)
	}
	fromObject, err := FromObject(object(t, func(map[string]any) {}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fromFile[0].Document, fromObject.Document); diff != "" {
		t.Errorf("document (-file +object):\n%s", diff)
	}
	if got, want := fromObject.At("spec.for").String(), "conditioncatalogs/things.example.com"; got != want {
		t.Errorf("At is %q, want %q", got, want)
	}
}
