// SPDX-License-Identifier: Apache-2.0

package catalogs_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/relation"
)

var update = flag.Bool("update", false, "rewrite goldens")

// dialects are the named profiles, in the order of the documentation.
var dialects = []string{"core", "kstatus", "knative", "capi-v1beta1", "capi-v1beta2", "openshift", "gateway"}

// sameObjects are the objects that every dialect judges. Their catalogs say nothing but the types, so that the dialect decides polarity,
// role and presence.
var sameObjects = []struct {
	name       string
	types      string // declared, those with a bar are followed by more of the declaration
	conditions []map[string]any
}{
	{"Progressing is Unknown", "Ready Progressing", []map[string]any{condition("Ready", "True", "Fine"),
		condition("Progressing", "Unknown", "Odd")}},
	{"Ready over a member that is False with severity Warning", "Ready Member", []map[string]any{condition("Ready", "True", "Fine"),
		with(condition("Member", "False", "Bad"), "severity", "Warning")}},
	{"Reconciling and Stalled", "Reconciling Stalled", []map[string]any{condition("Reconciling", "True", "Odd"),
		condition("Stalled", "True", "Odd")}},
	{"an empty reason on True", "Ready", []map[string]any{condition("Ready", "True", "")}},
	{"Degraded is listed as False", "Ready Degraded", []map[string]any{condition("Ready", "True", "Fine"),
		condition("Degraded", "False", "Odd")}},
	{"Conflicted is listed as False", "Ready Conflicted", []map[string]any{condition("Ready", "True", "Fine"),
		condition("Conflicted", "False", "Odd")}},
	{"Succeeded, and nothing else", "Succeeded", []map[string]any{condition("Succeeded", "True", "Fine")}},
	{"Available is False, Ready is True", "Ready Available", []map[string]any{condition("Ready", "True", "Fine"),
		condition("Available", "False", "Bad")}},
	{"Paused", "Ready Paused", []map[string]any{condition("Ready", "True", "Fine"), condition("Paused", "True", "Odd")}},
}

func condition(conditionType, status, reason string) map[string]any {
	return map[string]any{"type": conditionType, "status": status, "reason": reason, "message": "",
		"lastTransitionTime": "2026-01-02T03:04:05Z"}
}

func with(c map[string]any, key, value string) map[string]any {
	c[key] = value
	return c
}

// catalogOf declares types in a dialect and leaves everything else to it.
func catalogOf(dialect, types, bare string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: tristate.dev/v1alpha1\nkind: ConditionCatalog\nmetadata: {name: things.example.com}\nspec:\n"+
		"  for: {group: example.com, kind: Thing}\n  dialect: %s\n  conditions:\n", dialect)
	for _, name := range strings.Fields(types) {
		fmt.Fprintf(&b, "  - type: %s\n    meaning: It holds.\n    reasons:\n%s"+
			"    - {reason: Fine, status: \"True\", meaning: Fine.}\n    - {reason: Bad, status: \"False\", meaning: Bad.}\n", name, bare)
	}
	return b.String()
}

// sameUnder judges an object under a dialect: the verdict, and what the dialect made of the declaration.
func sameUnder(t *testing.T, dialect string, types string, list []map[string]any) string {
	t.Helper()
	set, err := catalog.Load(map[string][]byte{"thing.yaml": []byte(catalogOf(dialect, types, ""))})
	if err != nil {
		t.Fatal(err)
	}
	var entries []any
	bare := ""
	for _, c := range list {
		entries = append(entries, c)
		if c["reason"] == "" {
			bare = "    - {reason: \"\", status: \"True\", meaning: Fine.}\n"
		}
	}
	object := relation.FromContent(map[string]any{"apiVersion": "example.com/v1", "kind": "Thing",
		"metadata": map[string]any{"name": "same", "namespace": "default", "generation": int64(1)},
		"status":   map[string]any{"observedGeneration": int64(1), "conditions": entries}})
	j := relation.JudgeBy(pack.Default(set), set, time.Date(2026, 1, 2, 4, 0, 0, 0, time.UTC))(object)
	var declared []string
	for _, d := range set.Kinds()[0].Declaration.Types {
		declared = append(declared, fmt.Sprintf("%s %s %s %s", d.Name, d.Polarity, d.Role, d.Presence))
	}
	out := fmt.Sprintf("%-10s ready=%-5v %s", j.Verdict, j.Ready, strings.Join(declared, ", "))
	if bare != "" {
		_, err := catalog.Load(map[string][]byte{"thing.yaml": []byte(catalogOf(dialect, types, bare))})
		var wrong catalog.Errors
		switch {
		case err == nil:
			out += "; may be declared"
		case errors.As(err, &wrong) && wrong[0].Code == catalog.CodeReasonName:
			out += "; may not be declared"
		default:
			t.Error(err)
		}
	}
	return out
}

// TestSameObjectUnderEachDialect: one object, seven answers. The golden file documents what the dialects differ in.
func TestSameObjectUnderEachDialect(t *testing.T) {
	var b strings.Builder
	for _, same := range sameObjects {
		fmt.Fprintf(&b, "%s\n", same.name)
		answers := map[string]bool{}
		for _, dialect := range dialects {
			answer := sameUnder(t, dialect, same.types, same.conditions)
			answers[answer] = true
			fmt.Fprintf(&b, "  %-13s %s\n", dialect, answer)
		}
		if len(answers) < 2 {
			t.Errorf("%s: every dialect answers alike", same.name)
		}
		b.WriteString("\n")
	}
	b.WriteString("rules of the dialect\n")
	for _, name := range dialects {
		d := conditions.Dialect(name)
		fmt.Fprintf(&b, "  %-13s conditions have an observedGeneration: %v\n", name, d.Generations())
	}
	const golden = "testdata/dialects.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("answers (-want +got), rewrite with -update:\n%s", diff)
	}
}
