// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/systems"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime"
)

// shippedVocabularies returns an engine of all that is shipped, and the vocabularies of the packs.
func shippedVocabularies(t *testing.T) (*verdict.Engine, []Vocabulary) {
	t.Helper()
	own, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "catalogs", "packs", "vocabulary", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vocabularies: %v", err)
	}
	var out []Vocabulary
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list, err := ReadVocabularies(file, data)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, list...)
	}
	return Default(own), out
}

var aTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// A good word alone never suffices: beside it the status must be about the current generation, no condition may be bad that the pack does
// not know, no field for errors may be filled, and the object must not be deleted. Packs whose words were read from no source rest on this.
func TestVocabulary_cautious(t *testing.T) {
	engine, list := shippedVocabularies(t)
	status := func(object map[string]any) map[string]any {
		out, ok := object["status"].(map[string]any)
		if !ok {
			out = map[string]any{}
			object["status"] = out
		}
		return out
	}
	metadata := func(object map[string]any) map[string]any {
		out, ok := object["metadata"].(map[string]any)
		if !ok {
			out = map[string]any{}
			object["metadata"] = out
		}
		return out
	}
	for i := range list {
		v := &list[i]
		healthy := map[string]map[string]any{}
		if v.Healthy != nil {
			healthy["healthy"] = v.object()
		}
		for _, e := range v.list() {
			for _, word := range e.words.OK {
				object := v.object()
				e.set(object, word)
				healthy[e.name+" is "+word] = object
			}
		}
		for name, object := range healthy {
			expect := func(what string, change func(object map[string]any), want func(verdict.Status) bool) {
				changed := runtime.DeepCopyJSON(object)
				change(changed)
				if got := engine.Judge(changed, aTime); !want(got.Status) {
					t.Errorf("%s.%s: %s, and %s: %s, by %s", v.Kinds[0], v.Group, name, what, got.Status, got.Rule)
				}
			}
			notCurrent := func(s verdict.Status) bool { return s != verdict.Current }
			expect("a condition that is not known is bad", func(o map[string]any) {
				setCondition(o, "Frobnicated", "False", "FrobnicationFailed")
			}, notCurrent)
			// A catalog that declares its conditions is judged by them.
			if rule := engine.Judge(object, aTime).Rule; status(object)["errorMessage"] == nil &&
				(strings.Contains(rule, "[") || !strings.HasPrefix(rule, "catalog/")) {
				expect("a field for errors is filled", func(o map[string]any) { status(o)["errorMessage"] = "the disk is broken" }, notCurrent)
			}
			if status(object)["observedGeneration"] == nil {
				expect("the status is about an older generation", func(o map[string]any) {
					metadata(o)["generation"], status(o)["observedGeneration"] = int64(3), int64(2)
				}, notCurrent)
			}
			expect("it is deleted", func(o map[string]any) { metadata(o)["deletionTimestamp"] = "2025-12-31T23:00:00Z" },
				func(s verdict.Status) bool { return s == verdict.Terminating })
		}
	}
}

// An object without a status is never broken.
func TestVocabulary_nothing(t *testing.T) {
	engine, list := shippedVocabularies(t)
	for i := range list {
		v := &list[i]
		for _, status := range []any{nil, map[string]any{}, map[string]any{"conditions": []any{}}} {
			object := v.object()
			delete(object, "status")
			if status != nil {
				object["status"] = status
			}
			if got := engine.Judge(object, aTime); got.Status == verdict.Failed || got.Status == verdict.Degraded || got.Status == verdict.NotFound {
				t.Errorf("%s.%s without a status: %s, by %s: %s", v.Kinds[0], v.Group, got.Status, got.Rule, got.Message)
			}
		}
	}
}

func TestReadVocabularies_source(t *testing.T) {
	tests := map[string]struct {
		yaml string
		ok   bool
	}{
		"a repository with a version": {`{source: github.com/a/b, version: v1.0.0, group: b.io, kinds: [B]}`, true},
		"a reason":                    {`{source: "none, because it is closed", group: b.io, kinds: [B]}`, true},
		"nothing":                     {`{group: b.io, kinds: [B]}`, false},
		"no version":                  {`{source: github.com/a/b, group: b.io, kinds: [B]}`, false},
		"no reason":                   {`{source: "none, because ", group: b.io, kinds: [B]}`, false},
		"a version of nothing":        {`{source: "none, because it is closed", version: v1.0.0, group: b.io, kinds: [B]}`, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := ReadVocabularies("b.yaml", fmt.Appendf(nil, "- %s\n", test.yaml))
			if (err == nil) != test.ok {
				t.Errorf("got %v", err)
			}
		})
	}
}

// What people meet most can be helped: of the systems that are used most, each word for something broken has a remedy, for the reason that
// the verdict names.
func TestVocabulary_remedies(t *testing.T) {
	engine, list := shippedVocabularies(t)
	groups := []string{"cert-manager.io", "toolkit.fluxcd.io", "argoproj.io", "crossplane.io", "kubevirt.io", "cnpg.io", "strimzi.io",
		"ceph.rook.io", "monitoring.coreos.com"}
	words, missing := 0, 0
	for i := range list {
		v := &list[i]
		if !slices.ContainsFunc(groups, func(group string) bool { return strings.HasSuffix(v.Group, group) }) ||
			v.Group == "promoter.argoproj.io" {
			continue
		}
		for _, e := range v.list() {
			for _, word := range e.words.Broken {
				object := v.object()
				e.set(object, word)
				words++
				if got := engine.Judge(object, aTime); got.Remedy == "" {
					missing++
					t.Errorf("%s.%s: %s is %s: nothing says what to do about %s", v.Kinds[0], v.Group, e.what(), word, got.Reason)
				}
			}
		}
	}
	t.Logf("%d words for something broken, %d without a remedy", words, missing)
}
