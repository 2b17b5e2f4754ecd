// SPDX-License-Identifier: Apache-2.0

package conditions

import "testing"

// release is a kind of dialect kstatus. A reason's name begins with the class that it has.
func release() *Kind {
	cells := func(extra ...Reason) []Reason {
		return append(extra,
			Reason{Name: "Invalid", Status: False, Class: ClassTerminal}, Reason{Name: "Refused", Status: False, Class: ClassTransient},
			Reason{Name: "Suspended", Status: False, Class: ClassSuspended}, Reason{Name: "Fetching", Status: Unknown, Class: ClassProgress},
			Reason{Name: "Succeeded", Status: True, Class: ClassOK})
	}
	return &Kind{Kind: "Release", Dialect: Kstatus, Types: []Type{
		{Name: "Ready", Role: RoleSummary, Imported: true, Summary: &SummaryRule{}},
		{Name: TypeReconciling, Polarity: Negative, Role: RoleDependent, Presence: WhenTrue, Reasons: []Reason{{Name: "ProgressingWithRetry", Status: True}}, Imported: true},
		{Name: TypeStalled, Polarity: Negative, Role: RoleDependent, Presence: WhenTrue, Imported: true},
		{Name: "Fetched", Role: RoleDependent, Reasons: cells()},
		{Name: "Applied", Role: RoleDependent, Reasons: cells()},
		{Name: "Tested", Role: RoleInformational, Presence: WhenKnown, Reasons: []Reason{{Name: "Invalid", Status: False, Class: ClassTerminal}, {Name: "Passed", Status: True}}},
	}}
}

func TestTrio(t *testing.T) {
	ready := func(s Status, reason, message string) Condition { return cond("Ready", s, reason, message, 2, t1) }
	reconciling := func(reason, message string) Condition { return cond(TypeReconciling, True, reason, message, 2, t1) }
	stalled := func(reason, message string) Condition { return cond(TypeStalled, True, reason, message, 2, t1) }
	tests := map[string]struct {
		stored  []Condition
		reports []report
		want    []Condition // of the three
	}{
		"all well": {
			reports: []report{{"Fetched", True, "Succeeded", ""}, {"Applied", True, "Succeeded", ""}}, want: []Condition{ready(True, reasonHealthy, "")},
		},
		"progress": {
			reports: []report{{"Fetched", Unknown, "Fetching", "40 %"}, {"Applied", True, "Succeeded", ""}},
			want:    []Condition{ready(Unknown, "Fetching", "Fetched(Fetching): 40 %"), reconciling("Fetching", "Fetched(Fetching): 40 %")},
		},
		"will retry": {
			reports: []report{{"Fetched", False, "Refused", "503"}, {"Applied", True, "Succeeded", ""}},
			want:    []Condition{ready(False, "Refused", "Fetched(Refused): 503"), reconciling("Refused", "Fetched(Refused): 503")},
		},
		"needs a person": {
			reports: []report{{"Fetched", True, "Succeeded", ""}, {"Applied", False, "Invalid", "no such field"}},
			want:    []Condition{ready(False, "Invalid", "Applied(Invalid): no such field"), stalled("Invalid", "Applied(Invalid): no such field")},
		},
		"Stalled excludes Reconciling, also a reported one": {
			reports: []report{{"Fetched", False, "Refused", "503"}, {"Applied", False, "Invalid", ""}, {TypeReconciling, True, "ProgressingWithRetry", ""}},
			want:    []Condition{ready(False, reasonUnhealthy, "Fetched(Refused): 503; Applied(Invalid)"), stalled("Invalid", "Applied(Invalid)")},
		},
		"information does not count": {
			reports: []report{{"Fetched", True, "Succeeded", ""}, {"Applied", True, "Succeeded", ""}, {"Tested", False, "Invalid", ""}},
			want:    []Condition{ready(True, reasonHealthy, "")},
		},
		"off is neither": {
			reports: []report{{"Fetched", False, "Suspended", ""}, {"Applied", True, "Succeeded", ""}}, want: []Condition{ready(False, "Suspended", "Fetched(Suspended)")},
		},
		"a reported one stands over nothing": {
			reports: []report{{"Fetched", True, "Succeeded", ""}, {"Applied", True, "Succeeded", ""}, {TypeReconciling, True, "ProgressingWithRetry", "again"}},
			want:    []Condition{ready(True, reasonHealthy, ""), reconciling("ProgressingWithRetry", "again")},
		},
		"nothing reported yet": {
			want: []Condition{
				ready(Unknown, "Fetching", "Fetched(Fetching); Applied(Fetching)"), reconciling("Fetching", "Fetched(Fetching); Applied(Fetching)"),
			},
		},
		"observed at an older generation": {
			stored:  []Condition{cond("Fetched", True, "Succeeded", "", 1, t0), cond(TypeStalled, True, "Invalid", "", 1, t0)},
			reports: []report{{"Applied", True, "Succeeded", ""}},
			want: []Condition{
				ready(Unknown, reasonStale, "Fetched(Stale): observed at an older generation"),
				reconciling(reasonStale, "Fetched(Stale): observed at an older generation"),
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			k := release()
			p := k.Begin(2, tt.stored, t1)
			for _, r := range tt.reports {
				p.Report(r.conditionType, r.status, r.reason, r.text)
			}
			got := p.Commit()
			var three []Condition
			for _, c := range got.Conditions {
				if c.Type == "Ready" || c.Type == TypeReconciling || c.Type == TypeStalled {
					three = append(three, c)
				}
			}
			same(t, "conditions", tt.want, three)
			same(t, "errors", []string(nil), texts(got.Errors))
		})
	}
}

// A kind with nothing but the three: Ready is reported, the others follow.
func TestTrioOfReadyAlone(t *testing.T) {
	k := release()
	k.Types = k.Types[:3]
	k.Types[0].Summary = nil
	k.Types[0].Reasons = []Reason{{Name: "Invalid", Status: False, Class: ClassTerminal}, {Name: "Fetching", Status: Unknown, Class: ClassProgress}, {Name: "Succeeded", Status: True, Class: ClassOK}}
	var list []Condition
	for _, step := range []struct {
		status Status
		reason string
		want   string
	}{
		{Unknown, "Fetching", TypeReconciling}, {False, "Invalid", TypeStalled}, {Unknown, "Fetching", TypeReconciling}, {True, "Succeeded", ""},
	} {
		p := k.Begin(1, list, t1)
		p.Report("Ready", step.status, step.reason, "")
		list = p.Commit().Conditions
		got := ""
		for _, c := range list[1:] {
			got += c.Type
		}
		same(t, "with Ready="+string(step.status), step.want, got)
	}
}

// The two never stand together, and never beside a healthy cell alone.
func FuzzLawTrioIsExclusive(f *testing.F) {
	law(f, func(t *testing.T, s *source) {
		w := s.world()
		w.kind.Dialect = Kstatus
		w.kind.Types = append(w.kind.Types, Type{Name: "Extra", Role: RoleDependent})
		hasBoth := w.kind.find(TypeStalled, 0) >= 0 && w.kind.find(TypeReconciling, 0) >= 0
		got := w.pass(w.stored, w.now)
		if !hasBoth || len(got.Superseded) > 0 {
			return
		}
		bad := 0
		for i := range w.kind.Types {
			typ := &w.kind.Types[i]
			if at := Find(got.Conditions, typ.Name); w.kind.abnormal(i) && typ.Lifecycle == "" && at >= 0 && unhealthy(got.Conditions[at].Status, typ.Polarity) {
				bad++
			}
		}
		if bad > 1 {
			t.Errorf("both stand: %v", got.Conditions)
		}
	})
}
