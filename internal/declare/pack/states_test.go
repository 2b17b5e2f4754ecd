// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/verdict"
)

// TestStates_scalar: a table compares texts, booleans and numbers by one conversion, so that a field that is not a string is not absent.
func TestStates_scalar(t *testing.T) {
	set, err := catalog.Load(map[string][]byte{"a.yaml": []byte(`
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: things.example.com}
spec:
  for: {group: example.com, kind: Thing}
  states:
  - {path: status.up, words: {"true": Current, "false": Failed, "3": Degraded, "0.5": Suspended}, otherwise: InProgress, absent: NotFound}
`)})
	if err != nil {
		t.Fatal(err)
	}
	engine := pack.Engine(set)
	for _, tc := range []struct {
		up   any
		want verdict.Status
	}{
		{"true", verdict.Current}, {true, verdict.Current},
		{"false", verdict.Failed}, {false, verdict.Failed},
		{"3", verdict.Degraded}, {int64(3), verdict.Degraded}, {3.0, verdict.Degraded}, {0.5, verdict.Suspended},
		{int64(4), verdict.InProgress}, {"", verdict.NotFound}, {nil, verdict.NotFound},
	} {
		object := map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "status": map[string]any{"up": tc.up}}
		if got := engine.Judge(object, time.Time{}); got.Status != tc.want {
			t.Errorf("up: %#v: want %s, got %s: %s", tc.up, tc.want, got.Status, got.Message)
		}
	}
}
