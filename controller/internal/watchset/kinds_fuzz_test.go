// SPDX-License-Identifier: Apache-2.0

package watchset

import (
	"encoding/json"
	"testing"

	"github.com/tristate/tristate/internal/declare/crd"
)

// FuzzDefinition: whatever stands in a definition, reading it does not panic, and pruning it changes no answer.
func FuzzDefinition(f *testing.F) {
	f.Add([]byte(`{"spec":{"group":"example.dev","scope":"Namespaced","names":{"kind":"Thing","plural":"things"},"versions":[{"name":"v1","served":true,"storage":true,
"schema":{"openAPIV3Schema":{"properties":{"status":{"properties":{"conditions":{"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["type"]}}}}}}}]},
"status":{"conditions":[{"type":"Established","status":"True"}]}}`))
	f.Add([]byte(`{"spec":{"versions":[null,3,{"schema":[]}]},"status":{"conditions":[7,{"type":"Established"}]}}`))
	f.Add([]byte(`{"metadata":[],"spec":"","status":{"conditions":{}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var content map[string]any
		if json.Unmarshal(data, &content) != nil {
			return
		}
		path := []string{"status", "conditions"}
		whole, err := crd.Read(content)
		pruned, errPruned := crd.Read(crd.Prune(content))
		if (err == nil) != (errPruned == nil) {
			t.Fatalf("whole %v, pruned %v", err, errPruned)
		}
		if err != nil {
			return
		}
		a, okA := fromDefinition(whole, []string{"v1"})
		b, okB := fromDefinition(pruned, []string{"v1"})
		if okA != okB || a.Resource != b.Resource || a.Namespaced != b.Namespaced {
			t.Fatalf("whole %v %v, pruned %v %v", a.Resource, okA, b.Resource, okB)
		}
		if okA && a.ListMap(path) != b.ListMap(path) {
			t.Fatalf("list map: whole %t, pruned %t", a.ListMap(path), b.ListMap(path))
		}
	})
}
