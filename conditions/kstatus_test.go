// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"testing"

	. "github.com/tristate/tristate/conditions"
)

// release is a kind of dialect kstatus. A reason's name begins with the class that it has.
func release() *Kind {
	cells := func(extra ...Reason) []Reason {
		return append(extra,
			Reason{Name: "Invalid", Status: False, Class: ClassTerminal}, Reason{Name: "Refused", Status: False, Class: ClassTransient},
			Reason{Name: "Suspended", Status: False, Class: ClassSuspended}, Reason{Name: "Fetching", Status: Unknown, Class: ClassProgress},
			Reason{Name: "Succeeded", Status: True, Class: ClassOK})
	}
	return &Kind{Kind: "Release", Dialect: DialectKstatus, Types: []Type{
		{Name: "Ready", Role: RoleSummary, Imported: true, Summary: &Summary{}},
		{Name: TypeReconciling, Polarity: Negative, Role: RoleDependent, Presence: PresenceWhenTrue,
			Reasons: []Reason{{Name: "ProgressingWithRetry", Status: True}}, Imported: true},
		{Name: TypeStalled, Polarity: Negative, Role: RoleDependent, Presence: PresenceWhenTrue, Imported: true},
		{Name: "Fetched", Role: RoleDependent, Reasons: cells()},
		{Name: "Applied", Role: RoleDependent, Reasons: cells()},
		{Name: "Tested", Role: RoleInformational, Presence: PresenceWhenKnown, Reasons: []Reason{{Name: "Invalid", Status: False, Class: ClassTerminal},
			{Name: "Passed", Status: True}}},
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
			reports: []report{{"Fetched", True, "Succeeded", ""}, {"Applied", True, "Succeeded", ""}},
			want:    []Condition{ready(True, reasonHealthy, "")},
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
		"stuck, and tries again": {
			reports: []report{{"Fetched", False, "Refused", "503"}, {"Applied", False, "Invalid", ""}},
			want: []Condition{
				ready(False, reasonUnhealthy, "Fetched(Refused): 503; Applied(Invalid)"), reconciling("Refused", "Fetched(Refused): 503"),
				stalled("Invalid", "Applied(Invalid)"),
			},
		},
		"stuck, and says that it works on": {
			reports: []report{{"Fetched", True, "Succeeded", ""}, {"Applied", False, "Invalid", ""}, {TypeReconciling, True, "ProgressingWithRetry",
				""}},
			want: []Condition{ready(False, "Invalid", "Applied(Invalid)"), reconciling("ProgressingWithRetry", ""),
				stalled("Invalid", "Applied(Invalid)")},
		},
		"information does not count": {
			reports: []report{{"Fetched", True, "Succeeded", ""}, {"Applied", True, "Succeeded", ""}, {"Tested", False, "Invalid", ""}},
			want:    []Condition{ready(True, reasonHealthy, "")},
		},
		"off is neither": {
			reports: []report{{"Fetched", False, "Suspended", ""}, {"Applied", True, "Succeeded", ""}},
			want:    []Condition{ready(False, "Suspended", "Fetched(Suspended)")},
		},
		"a reported one stands over nothing": {
			reports: []report{{"Fetched", True, "Succeeded", ""}, {"Applied", True, "Succeeded", ""}, {TypeReconciling, True, "ProgressingWithRetry",
				"again"}},
			want: []Condition{ready(True, reasonHealthy, ""), reconciling("ProgressingWithRetry", "again")},
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
			for _, c := range got.Conditions() {
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
	k.Types[0].Reasons = []Reason{{Name: "Invalid", Status: False, Class: ClassTerminal},
		{Name: "Fetching", Status: Unknown, Class: ClassProgress}, {Name: "Succeeded", Status: True, Class: ClassOK}}
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
		list = p.Commit().Conditions()
		got := ""
		for _, c := range list[1:] {
			got += c.Type
		}
		same(t, "with Ready="+string(step.status), step.want, got)
	}
}

// Reconciling=False says that no work is left ("Documents", conventions of kpt): it is never False while Stalled is True, whatever was
// reported.
func TestReconcilingOverStalled(t *testing.T) {
	for name, tt := range map[string]struct {
		presence Presence
		reports  []report
		want     Status // of Reconciling; "" for absent
	}{
		"both reported":           {PresenceWhenKnown, []report{{TypeStalled, True, "Invalid", ""}, {TypeReconciling, True, "Invalid", ""}}, True},
		"no work is claimed":      {PresenceWhenKnown, []report{{TypeStalled, True, "Invalid", ""}, {TypeReconciling, False, "Done", ""}}, ""},
		"nothing is said":         {PresenceWhenKnown, []report{{TypeStalled, True, "Invalid", ""}}, ""},
		"nothing, always":         {PresenceAlways, []report{{TypeStalled, True, "Invalid", ""}}, Unknown},
		"nothing, while True":     {PresenceWhenTrue, []report{{TypeStalled, True, "Invalid", ""}}, ""},
		"not stuck, no work":      {PresenceWhenKnown, []report{{TypeStalled, False, "Fine", ""}, {TypeReconciling, False, "Done", ""}}, False},
		"not stuck, none is said": {PresenceWhenKnown, []report{{TypeStalled, False, "Fine", ""}}, False},
	} {
		t.Run(name, func(t *testing.T) {
			k := &Kind{Kind: "Foo", Dialect: DialectKstatus, Types: []Type{
				{Name: TypeReconciling, Polarity: Negative, Presence: tt.presence, Imported: true},
				{Name: TypeStalled, Polarity: Negative, Presence: tt.presence, Imported: true}}}
			p := k.Begin(2, []Condition{cond(TypeReconciling, False, "", "", 1, t0)}, t1)
			for _, r := range tt.reports {
				p.Report(r.conditionType, r.status, r.reason, r.text)
			}
			got, list := Status(""), p.Commit().Conditions()
			if at := Find(list, TypeReconciling); at >= 0 {
				got = list[at].Status
			}
			same(t, "Reconciling", tt.want, got)
		})
	}
}

// Reconciling is not False while Stalled is True, in any pass.
func FuzzLawReconcilingOverStalled(f *testing.F) {
	law(f, func(t *testing.T, s *source) {
		w := s.world()
		w.kind.Dialect = DialectKstatus
		w.kind.Types = append(w.kind.Types, Type{Name: "Extra", Role: RoleDependent})
		stalled, reconciling := Position(w.kind, TypeStalled), Position(w.kind, TypeReconciling)
		got := w.pass(w.stored, w.now)
		if stalled < 0 || reconciling < 0 || len(got.Superseded) > 0 || !Abnormal(w.kind, stalled) || !Abnormal(w.kind, reconciling) {
			return
		}
		for _, i := range []int{stalled, reconciling} {
			if w.kind.Types[i].Lifecycle != "" {
				return
			}
		}
		a, b := Find(got.Conditions(), TypeStalled), Find(got.Conditions(), TypeReconciling)
		if a >= 0 && b >= 0 && w.kind.Types[stalled].Polarity.Bad(got.Conditions()[a].Status) &&
			w.kind.Types[reconciling].Polarity.Good(got.Conditions()[b].Status) {
			t.Errorf("no work is left for what is stuck: %v", got.Conditions())
		}
	})
}
