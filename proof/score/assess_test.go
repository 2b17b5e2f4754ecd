// SPDX-License-Identifier: Apache-2.0

package score_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// consistent returns an error if the parts of a verdict contradict each other: the condition that the verdict rests on is one of the
// object, with the status and the reason that the verdict states, and it is the first evidence; the claim that decides has the rule and the
// reason of the verdict; the other bad conditions are conditions of the object.
func consistent(e *verdict.Engine, object map[string]any, now time.Time) error {
	a := e.Judge(object, now)
	says := func(c map[string]any, status conditions.Status, reason, conditionType string) bool {
		return says(declared(e, object, conditionType, c), status, reason, conditionType)
	}
	evidence := a.Evidence
	if a.Type != "" {
		if len(evidence) == 0 || !strings.Contains(evidence[0].Path, fmt.Sprintf("[?(@.type==%q)].status", a.Type)) {
			return fmt.Errorf("rests on condition %s, by %s, and the first evidence is %v", a.Type, a.Rule, evidence)
		}
		if !slices.ContainsFunc(found(object, a.Type), func(c map[string]any) bool { return says(c, a.Condition, a.Reason, a.Type) }) {
			return fmt.Errorf("no condition %s = %s %s, by %s", a.Type, a.Condition, a.Reason, a.Rule)
		}
	}
	for _, o := range a.Others {
		if a.Status == verdict.Current || a.Status == verdict.Suspended {
			return fmt.Errorf("%s, beside the bad condition %s", a.Status, o.Type)
		}
		if !slices.ContainsFunc(found(object, o.Type), func(c map[string]any) bool { return says(c, o.Status, o.Reason, o.Type) }) {
			return fmt.Errorf("no other condition %s = %s %s", o.Type, o.Status, o.Reason)
		}
	}
	v, x := e.Explain(object, now)
	if diff := gocmp.Diff(answerOf(v), answerOf(a)); diff != "" {
		return fmt.Errorf("Judge (+) is not Explain (-):\n%s", diff)
	}
	if !slices.ContainsFunc(verdict.All, func(r *verdict.Rule) bool { return r.ID == v.Rule }) {
		return nil // not a convention
	}
	for _, claim := range x.Claims {
		if claim.Fate != "decides" {
			continue
		}
		if claim.Rule != v.Rule || claim.Reason != v.Reason {
			return fmt.Errorf("claim %s %s decides, and the verdict is by %s %s", claim.Rule, claim.Reason, v.Rule, v.Reason)
		}
		return nil
	}
	return fmt.Errorf("no claim decides, and the verdict is by %s: %v", v.Rule, x.Claims)
}

// found lists the conditions of a type at any depth of the status.
func found(object map[string]any, conditionType string) []map[string]any {
	var out []map[string]any
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if v["type"] == conditionType {
				out = append(out, v)
			}
			for key, x := range v {
				if m, ok := x.(map[string]any); ok && key == conditionType {
					out = append(out, m) // conditions as a map by type
				}
				walk(x)
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(object)
	return out
}

// says reports whether a condition has a status and a reason; a condition without a reason stands for its type. That it is about another
// generation is a reason of ours.
func says(c map[string]any, status conditions.Status, reason, conditionType string) bool {
	word := fmt.Sprint(c["status"])
	if b, ok := c["status"].(bool); ok {
		word = map[bool]string{true: "True", false: "False"}[b]
	}
	own, _ := c["reason"].(string)
	is := strings.EqualFold(word, string(status)) || status == conditions.Unknown && !strings.EqualFold(word, "True") &&
		!strings.EqualFold(word, "False")
	return is && (reason == "GenerationNotObserved" || reason == "ImpossibleGeneration" || reason == cmp.Or(own, conditionType))
}

// declared is a condition with the reason that the catalog of the kind declares, where the stored one is an alias of it.
func declared(e *verdict.Engine, object map[string]any, conditionType string, c map[string]any) map[string]any {
	own, _ := c["reason"].(string)
	if own == "" || e.Semantics == nil {
		return c
	}
	gvk := schema.FromAPIVersionAndKind(fmt.Sprint(object["apiVersion"]), fmt.Sprint(object["kind"]))
	s := e.Semantics(gvk.Group, gvk.Version, gvk.Kind)
	if s == nil || s.Types[conditionType] == nil {
		return c
	}
	cell := s.Types[conditionType].Cells[verdict.Cell{Status: fmt.Sprint(c["status"]), Reason: own}]
	if cell == nil {
		return c
	}
	c = maps.Clone(c)
	c["reason"] = cell.Name
	return c
}

// TestAssess_consistent: of any object reason, message, rule and evidence belong together. It holds for the objects of the hold-out and
// those of real systems; TestMutations holds it for those of the corpus.
func TestAssess_consistent(t *testing.T) {
	packs, err := pack.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	engines := map[string]*verdict.Engine{"conventions": {}, "catalogs and packs": pack.Engine(embedded(t), packs)}
	check := func(name string, object map[string]any) {
		for engine, e := range engines {
			if err := consistent(e, object, now); err != nil {
				t.Errorf("%s: %s: %v", name, engine, err)
			}
		}
	}
	files, err := filepath.Glob("testdata/holdout/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list []struct {
			Name   string         `json:"name"`
			Object map[string]any `json:"object"`
		}
		if err := yaml.Unmarshal(data, &list); err != nil {
			t.Fatal(err)
		}
		for _, x := range list {
			check(x.Name, x.Object)
		}
	}
	if _, err := os.Stat(filepath.Join("..", "..", "..", "shared", "witness")); err != nil {
		return
	}
	for i, s := range timeline(t) {
		if i%7 == 0 {
			check(s.name(), s.object)
		}
	}
}
