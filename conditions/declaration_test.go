// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"os"
	"regexp"
	"testing"

	. "github.com/tristate/tristate/conditions"
)

// TestDialects: a declaration may name each dialect for which there is a constant.
func TestDialects(t *testing.T) {
	source, err := os.ReadFile("dialect.go")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^\t(Dialect\w+) +Dialect = `).FindAllSubmatch(source, -1)
	all := []Dialect{DialectCore, DialectKstatus, DialectKnative, DialectCAPIv1beta1, DialectCAPIv1beta2, DialectOpenShift, DialectGateway}
	if len(names) != len(all) {
		t.Fatalf("%d dialects, the test knows %d", len(names), len(all))
	}
	for _, d := range all {
		if errs := (&Kind{Kind: "Thing", Dialect: d}).Validate(); len(errs) > 0 {
			t.Errorf("%s is not in the variable dialects of dialect.go: %v", d, errs)
		}
	}
}

func TestValidateKind(t *testing.T) {
	for name, k := range map[string]*Kind{"thing": thing(), "steady": steadyKind(DialectCAPIv1beta1), "release": release()} {
		same(t, name, []string(nil), texts(k.Validate()))
	}
	tests := map[string]struct {
		change func(*Kind)
		want   []string
	}{
		"names": {func(k *Kind) {
			k.Types = append(k.Types, Type{Name: "no name"}, Type{Name: "Snyced"})
			k.Retired = []string{"Ready"}
		}, []string{
			`Thing: condition "no name": the API server refuses the name`, `Thing: condition "Snyced" is declared already, for Synced`,
			`Thing: retired type "Ready" is declared already, for Ready`,
		}},
		"words": {func(k *Kind) {
			k.Dialect = "flux"
			k.Types[1].Polarity, k.Types[1].Role, k.Types[1].Presence, k.Types[1].Unreported = "good", "top", "never", "drop"
			k.Types[1].Lifecycle = "once"
		}, []string{
			`Thing: dialect is "flux"`, `Thing: condition Synced: polarity is "good"`, `Thing: condition Synced: role is "top"`,
			`Thing: condition Synced: presence is "never"`,
			`Thing: condition Synced: policy for what was not reached is "drop"`, `Thing: condition Synced: lifecycle is "once"`,
		}},
		"reasons": {func(k *Kind) {
			k.Types[1].Reasons = append(k.Types[1].Reasons, Reason{Name: "no reason", Status: True},
				Reason{Name: "AuthFialed", Status: False, Severity: "Fatal"}, Reason{Name: "X", Status: "Yes", Class: "bad"}, Reason{Status: True})
		}, []string{
			`Thing: condition Synced: reason "no reason": the API server refuses it`,
			`Thing: condition Synced: reason AuthFialed: severity is "Fatal"`,
			`Thing: condition Synced: reason AuthFialed is declared twice for False`,
			`Thing: condition Synced: reason X: status "Yes" is not True, False or Unknown`, `Thing: condition Synced: reason X: class is "bad"`,
			`Thing: condition Synced: reason "": the API server refuses it`,
		}},
		"numbers": {func(k *Kind) { k.Types[1].GoBadAfter = -1 }, []string{`Thing: condition Synced: dwell is negative`}},
		"summaries": {func(k *Kind) {
			k.Types = append(k.Types, Type{Name: "A", Summary: &Summary{Of: []string{"B", "Nobody", "B", "Phase"}}},
				Type{Name: "B", Summary: &Summary{Of: []string{"A"}, Missing: "drop"}}, Type{Name: "Phase", Polarity: Neutral})
		}, []string{
			`Thing: condition A: the summary names "Nobody", which is not declared`, `Thing: condition A: the summary names B twice`,
			`Thing: condition A: the summary names Phase, which is neutral and never counts`,
			`Thing: condition A: the summary comes back to itself: A -> B -> A`,
			`Thing: condition B: missing is "drop"`, `Thing: condition B: the summary comes back to itself: B -> A -> B`,
		}},
		"a dialect for reading": {func(k *Kind) { k.Dialect = DialectCAPIv1beta2 }, []string{
			`Thing: condition Ready: dialect capi-v1beta2 is for reading and derives no summary`,
		}},
		"steps": {func(k *Kind) { k.Types[0].Summary.CounterOnly = []string{"Synced", "Step"} }, []string{
			`Thing: condition Ready: the steps name "Step", which is not declared`,
		}},
		"itself": {func(k *Kind) { k.Types[0].Summary.Of = []string{"Ready"} },
			[]string{`Thing: condition Ready: the summary comes back to itself: Ready -> Ready`}},
		"dependents of each other": {func(k *Kind) {
			k.Types[1].Role, k.Types[1].Summary = RoleDependent, &Summary{Of: []string{"Ready"}}
		}, []string{
			`Thing: condition Ready: the summary comes back to itself: Ready -> Synced -> Ready`,
			`Thing: condition Synced: the summary comes back to itself: Synced -> Ready -> Synced`,
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			k := thing()
			tt.change(k)
			same(t, "errors", tt.want, texts(k.Validate()))
		})
	}
}
