// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/tristate/tristate/conditions"
)

// An optional type is absent until it is reported; what is reported counts, whatever the dialect, and also where Presence keeps it out of
// the list.
func TestOptional(t *testing.T) {
	type reported struct {
		status Status
		reason string
	}
	tests := map[string]struct {
		b      Type // besides A, which is reported True
		stored []Condition
		report *reported
		ready  Status
		stands Status // of B; "" for absent
	}{
		"neither stored nor reported":         {Type{Optional: true}, nil, nil, True, ""},
		"not reached makes it Unknown":        {Type{Optional: true, Unreported: UnreportedUnknown}, nil, nil, True, ""},
		"not reached fails":                   {Type{Optional: true, Unreported: UnreportedFail}, nil, nil, True, ""},
		"only when known":                     {Type{Optional: true, Presence: PresenceWhenKnown}, nil, nil, True, ""},
		"reported Unknown":                    {Type{Optional: true}, nil, &reported{Unknown, "Waiting"}, Unknown, Unknown},
		"reported False":                      {Type{Optional: true}, nil, &reported{False, "Broken"}, False, False},
		"reported True":                       {Type{Optional: true}, nil, &reported{True, "Fine"}, True, True},
		"Unknown, only when known":            {Type{Optional: true, Presence: PresenceWhenKnown}, nil, &reported{Unknown, "Waiting"}, Unknown, ""},
		"Unknown, only when known, mandatory": {Type{Presence: PresenceWhenKnown}, nil, &reported{Unknown, "Waiting"}, Unknown, ""},
		"False, only when True":               {Type{Optional: true, Presence: PresenceWhenTrue}, nil, &reported{False, "Broken"}, False, ""},
		"False, once True":                    {Type{Optional: true, Presence: PresenceOnceTrue}, nil, &reported{False, "Broken"}, False, ""},
		"a negative one that is healthy": {Type{Optional: true, Polarity: Negative, Presence: PresenceWhenTrue}, nil, &reported{False, "Fine"}, True,
			""},
		"stored and not reported": {Type{Optional: true}, []Condition{cond("B", False, "Broken", "", 1, t0)}, nil, False, False},
	}
	for name, tt := range tests {
		for _, d := range []Dialect{DialectCore, DialectCAPIv1beta1, DialectOpenShift} {
			t.Run(fmt.Sprint(name, ", ", d), func(t *testing.T) {
				tt.b.Name = "B"
				k := &Kind{Kind: "Thing", Dialect: d,
					Types: []Type{{Name: "Ready", Role: RoleSummary, Imported: true, Summary: &Summary{Of: []string{"A", "B"}}}, {Name: "A"}, tt.b}}
				stored := slices.Clone(tt.stored)
				for i := range stored {
					if !d.Generations() {
						stored[i].ObservedGeneration = 0
					}
					if d == DialectCAPIv1beta1 {
						stored[i].Severity = SeverityError
					}
				}
				for i := range 2 {
					p := k.Begin(1, stored, t1)
					p.Report("A", True, "Fine", "")
					if tt.report != nil {
						p.Report("B", tt.report.status, tt.report.reason, "")
					}
					got := p.Commit()
					same(t, "errors", []string(nil), texts(got.Errors))
					same(t, "Ready", tt.ready, got.Conditions()[Find(got.Conditions(), "Ready")].Status)
					at := Find(got.Conditions(), "B")
					if (at >= 0) != (tt.stands != "") || at >= 0 && got.Conditions()[at].Status != tt.stands {
						t.Errorf("B is %v", got.Conditions())
					}
					if causes := got.Causes("Ready"); tt.ready != True && (len(causes) != 1 || causes[0].Type != "B") {
						t.Errorf("causes %v", causes)
					}
					if i > 0 && got.Changed {
						t.Error("a second pass writes again")
					}
					stored = got.Conditions()
				}
			})
		}
	}
}

// A summary of nothing is Unknown, and an error; healthy where its dependents are absent because they are healthy.
func TestSummaryOfNothing(t *testing.T) {
	summary := Type{Name: "Ready", Role: RoleSummary, Summary: &Summary{}}
	nothing := []string{"Thing: condition Ready: there is nothing to summarize: no condition that counts is stored or reported"}
	tests := map[string]struct {
		types  []Type
		want   Status
		errors []string
	}{
		"no dependents":             {nil, Unknown, nothing},
		"optional ones":             {[]Type{{Name: "A", Role: RoleDependent, Optional: true}}, Unknown, nothing},
		"neutral ones":              {[]Type{{Name: "A", Role: RoleDependent, Polarity: Neutral}}, Unknown, nothing},
		"negative ones while True":  {[]Type{{Name: "A", Role: RoleDependent, Polarity: Negative, Presence: PresenceWhenTrue}}, True, nil},
		"one that is not reported":  {[]Type{{Name: "A", Role: RoleDependent}}, Unknown, nil},
		"optional and mandatory":    {[]Type{{Name: "A", Role: RoleDependent, Optional: true}, {Name: "B", Role: RoleDependent}}, Unknown, nil},
		"an informational one only": {[]Type{{Name: "A", Role: RoleInformational}}, Unknown, nothing},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			k := &Kind{Kind: "Thing", Types: append([]Type{summary}, tt.types...)}
			got := k.Begin(1, nil, t1).Commit()
			same(t, "errors", tt.errors, texts(got.Errors))
			same(t, "status", tt.want, got.Conditions()[0].Status)
		})
	}
}

// Steps are counted only while nothing else is reported (WithStepCounterIfOnly). By the native rules the message of the open step follows
// the count.
func TestCounterOnly(t *testing.T) {
	tests := map[string]struct {
		done, open []string
		want       string
	}{
		"one step":           {nil, []string{"A"}, "0 of 2 completed: A(Open): it is open"},
		"all steps":          {[]string{"A"}, []string{"B"}, "1 of 2 completed: B(Open): it is open"},
		"and something else": {[]string{"A"}, []string{"C"}, "it is open"},
	}
	for _, d := range []Dialect{DialectCore, DialectCAPIv1beta1} {
		for name, tt := range tests {
			t.Run(fmt.Sprint(name, ", ", d), func(t *testing.T) {
				k := &Kind{Kind: "Thing", Dialect: d,
					Types: []Type{{Name: "Ready", Imported: true, Role: RoleSummary, Summary: &Summary{CounterOnly: []string{"A", "B"}}}}}
				for _, name := range []string{"A", "B", "C"} {
					k.Types = append(k.Types, Type{Name: name, Role: RoleDependent, Optional: true})
				}
				p := k.Begin(1, nil, t1)
				for _, name := range tt.done {
					p.Report(name, True, "Done", "")
				}
				for _, name := range tt.open {
					p.Report(name, False, "Open", "it is open")
				}
				want := tt.want
				if d == DialectCAPIv1beta1 {
					want, _, _ = strings.Cut(want, ": ")
				}
				got := p.Commit()
				if message := got.Conditions()[Find(got.Conditions(), "Ready")].Message; !strings.HasSuffix(message, want) {
					t.Errorf("message %q, want %q", message, want)
				}
			})
		}
	}
}
