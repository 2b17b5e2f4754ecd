// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime"
)

// shippedCases are the cases of the shipped packs, by file.
func shippedCases(t testing.TB) map[string][]pack.Case {
	t.Helper()
	files, err := fs.Glob(catalogs.Packs, "packs/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no packs: %v", err)
	}
	out := map[string][]pack.Case{}
	for _, file := range files {
		name := filepath.Join("..", "..", "..", "catalogs", "packs", "testdata", path.Base(file))
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if out[path.Base(file)], err = pack.ReadCases(name, data); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// withFailures returns copies of an object, each with one more condition or field that no pack knows and that reports a failure, by its
// place.
func withFailures(object map[string]any) map[string]map[string]any {
	failed := func() map[string]any {
		return map[string]any{"type": "Frobnicated", "status": "False", "reason": "FrobnicationFailed", "message": "the frobnicator failed"}
	}
	out := map[string]map[string]any{}
	add := func(place string, change func(status map[string]any)) {
		changed := runtime.DeepCopyJSON(object)
		status, ok := changed["status"].(map[string]any)
		if !ok {
			status = map[string]any{}
			changed["status"] = status
		}
		change(status)
		out[place] = changed
	}
	add("conditions", func(status map[string]any) {
		list, _ := status["conditions"].([]any)
		status["conditions"] = append(list, failed())
	})
	add("frobnicators[0].conditions", func(status map[string]any) {
		status["frobnicators"] = []any{map[string]any{"name": "a", "conditions": []any{failed()}}}
	})
	add("frobnicator.conditions", func(status map[string]any) {
		status["frobnicator"] = map[string]any{"conditions": []any{failed()}}
	})
	for key, value := range map[string]any{"frobnicatorStatus": "Failed", "frobnicationError": "the frobnicator failed",
		"frobnicator": map[string]any{"state": "Failed"}} {
		add(key, func(status map[string]any) { status[key] = value })
	}
	status, _ := object["status"].(map[string]any)
	for key, v := range status {
		switch v := v.(type) {
		case map[string]any:
			add(key+".conditions", func(status map[string]any) {
				list, _ := v["conditions"].([]any)
				status[key].(map[string]any)["conditions"] = append(runtime.DeepCopyJSONValue(list).([]any), failed())
			})
		case []any:
			if len(v) == 0 || key == "conditions" {
				continue
			}
			if first, ok := v[0].(map[string]any); ok {
				add(key+"[0].conditions", func(status map[string]any) {
					list, _ := first["conditions"].([]any)
					status[key].([]any)[0].(map[string]any)["conditions"] = append(runtime.DeepCopyJSONValue(list).([]any), failed())
				})
			}
		}
	}
	return out
}

// TestNotBlinder: a pack is not blinder than no pack. Where conventions alone find a failure in a condition or a field
// that the pack does not read, wherever in the status it is, the object is Failed or Degraded with the pack, too.
func TestNotBlinder(t *testing.T) {
	own, _ := shipped(t)
	e, without := pack.Default(own), new(verdict.Engine)
	objects := 0
	for file, cases := range shippedCases(t) {
		t.Run(file, func(t *testing.T) {
			for _, c := range cases {
				for place, object := range withFailures(c.Object) {
					bare := without.Judge(object, c.Now)
					if !bare.Status.Broken() || !strings.Contains(strings.ToLower(bare.Reason+bare.Message), "frobnicat") {
						continue
					}
					objects++
					if v := e.Judge(object, c.Now); !v.Status.Broken() && v.Status != verdict.NotFound {
						t.Errorf("%s, and a failure in %s: %s by %s, and %s by %s without the pack", c.Name, place, v.Status, v.Rule, bare.Status, bare.Rule)
					}
				}
			}
		})
	}
	t.Logf("%d objects", objects)
}
