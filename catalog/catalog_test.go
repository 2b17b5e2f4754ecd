// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const lamps = `apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: lamps.example.org}
spec:
  for: {group: example.org, kind: Lamp}
  conditions:
  - type: Shining
    meaning: It gives light.
    role: summary
    reasons:
    - {reason: Cut, status: "False", class: terminal, meaning: There is no power., remedy: Plug it in.}
    - {reason: Burning, status: "True", meaning: It burns.}
`

var lamp = schema.GroupKind{Group: "example.org", Kind: "Lamp"}

func Example() {
	set, err := catalog.Load(map[string][]byte{"lamps.yaml": []byte(lamps)})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	pass := set.Kind(lamp).Begin(1, nil, now)
	pass.Report("Shining", conditions.False, "Cut", "the cable is loose")
	written := pass.Commit().Conditions()[0]
	fmt.Println(written.Type, written.Status, written.Reason)

	object := map[string]any{"apiVersion": "example.org/v1", "kind": "Lamp", "metadata": map[string]any{"name": "desk"},
		"status": map[string]any{"conditions": []any{wire.ToUnstructured(written, conditions.DialectCore)}}}
	v := catalog.Engine(set).Judge(object, now)
	fmt.Println(v.Status, v.Reason, v.Remedy)
	// Output:
	// Shining False Cut
	// Failed Cut Plug it in.
}

func TestLoad(t *testing.T) {
	set, err := catalog.LoadFS(fstest.MapFS{
		"good.yaml":          {Data: []byte(lamps)},
		"bad.yaml":           {Data: []byte(strings.ReplaceAll(strings.ReplaceAll(lamps, "Lamp", "Torch"), "role: summary", "rol: summary"))},
		"testdata/none.yaml": {Data: []byte("{")},
	}, ".")
	var wrong *catalog.Error
	if !errors.As(err, &wrong) {
		t.Fatalf("%v is no *catalog.Error", err)
	}
	want := &catalog.Error{File: "bad.yaml", Line: 9, Column: 5, Path: "spec.conditions[0].rol"}
	if diff := cmp.Diff([]any{want.File, want.Line, want.Column, want.Path},
		[]any{wrong.File, wrong.Line, wrong.Column, wrong.Path}); diff != "" {
		t.Errorf("place: -want +got\n%s", diff)
	}
	if !strings.HasPrefix(err.Error(), "bad.yaml:9:5: spec.conditions[0].rol: ") || wrong.Message == "" {
		t.Errorf("error %q, message %q", err, wrong.Message)
	}
	if diff := cmp.Diff([]schema.GroupKind{lamp}, set.Kinds()); diff != "" {
		t.Errorf("kinds: -want +got\n%s", diff)
	}
}

// TestEngine: the first of several sets counts, then the packs, then the conventions.
func TestEngine(t *testing.T) {
	object := func(apiVersion, kind, reason string) map[string]any {
		return map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": "one"}, "status": map[string]any{
			"conditions": []any{map[string]any{"type": "Shining", "status": "False", "reason": reason}}}}
	}
	load := func(text string) *catalog.Set {
		t.Helper()
		set, err := catalog.Load(map[string][]byte{"one.yaml": []byte(text)})
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	own, other := load(lamps), load(strings.ReplaceAll(lamps, "class: terminal", "class: suspended"))
	tests := map[string]struct {
		sets   []*catalog.Set
		object map[string]any
		want   string
	}{
		"declared":      {[]*catalog.Set{own}, object("example.org/v1", "Lamp", "Cut"), "Failed catalog"},
		"the first one": {[]*catalog.Set{other, own}, object("example.org/v1", "Lamp", "Cut"), "Suspended catalog"},
		"an empty set":  {[]*catalog.Set{{}, own}, object("example.org/v1", "Lamp", "Cut"), "Failed catalog"},
		"not declared":  {[]*catalog.Set{own}, object("example.net/v1", "Torch", "Burnt"), "InProgress conditions"},
		"of the rule packs": {nil, map[string]any{"apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
			"metadata": map[string]any{"name": "one"}, "status": map[string]any{"health": map[string]any{"status": "Degraded"},
				"sync": map[string]any{"status": "Synced"}}}, "Degraded catalog"},
		"a kind of the server": {nil, map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "one"}},
			"Current builtin"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			v := catalog.Engine(tt.sets...).Judge(tt.object, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
			if diff := cmp.Diff(tt.want, string(v.Status)+" "+strings.Split(v.Rule, "/")[0]); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestShipped: every shipped catalog loads, and a set without kinds declares none.
func TestShipped(t *testing.T) {
	set, err := catalog.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	machine := schema.GroupKind{Group: "cluster.x-k8s.io", Kind: "Machine"}
	if k := set.Kind(machine); k == nil || k.Kind != "Machine" {
		t.Errorf("declaration of %s: %v", machine, k)
	}
	if k := set.Kind(lamp); k != nil {
		t.Errorf("declaration of %s: %v", lamp, k)
	}
	if none := new(catalog.Set); none.Kinds() != nil || none.Kind(machine) != nil {
		t.Error("a set without catalogs declares kinds")
	}
}
