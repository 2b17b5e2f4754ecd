// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	. "github.com/tristate/tristate/conditions"
	. "github.com/tristate/tristate/conditions/rollup"
	. "github.com/tristate/tristate/conditions/wire"
)

// The tests of this file are about defects that were found in other libraries by running them: the comment has what upstream does, the
// test shows that a pass or a merge does not. Package apply has those that concern the write itself (upstream_test.go).

func object(namespace, name string, in Input) Input {
	in.Object = ObjectRef{Kind: "Machine", Namespace: namespace, Name: name}
	return in
}

// TestEqualNamesInTwoNamespaces: Cluster API v1beta2 aggregates two objects of one name from two namespaces to 2 to 5 different messages.
func TestEqualNamesInTwoNamespaces(t *testing.T) {
	in := []Input{
		object("a", "m", of("Ready", False, "", "Broken", "disk")), object("b", "m", of("Ready", False, "", "Broken", "network")),
		object("a", "n", of("Ready", False, "", "Broken", "network")), object("b", "n", of("Ready", False, "", "Broken", "disk")),
	}
	o := Options{Target: Type{Name: "Ready", Imported: true}}
	want := "Ready(Broken): disk [a/m, b/n]; Ready(Broken): network [a/n, b/m]"
	for i := range 500 {
		in[0], in[i%4] = in[i%4], in[0]
		got, _ := Aggregate(in, o)
		if got.Condition.Message != want {
			t.Fatalf("run %d: message %q, want %q", i, got.Condition.Message, want)
		}
	}
}

// TestEqualTextsOfTwoKindsAndStatuses: Cluster API v1beta2 ranks by message text alone, so that an Unknown object counts among the broken
// ones because an object of another kind says the same as an issue.
func TestEqualTextsOfTwoKindsAndStatuses(t *testing.T) {
	node := of("Ready", Unknown, "", "Lost", "no contact")
	node.Object = ObjectRef{Kind: "Node", Name: "n"}
	in := []Input{ofObject("m", of("Ready", False, "", "Lost", "no contact")), node}
	got, _ := Aggregate(in, Options{Target: Type{Name: "Ready", Imported: true}})
	same(t, "message", "Ready(Lost): no contact [Machine/default/m]; Ready(Lost): no contact [Node/n]", got.Condition.Message)
	same(t, "causes", []string{"Machine/default/m Ready=False Lost", "Node/n Ready=Unknown Lost"}, causeTexts(got.Causes))
}

// TestHealthySummaryIsTheSameInBothPolarities: with Cluster API v1beta2 a healthy summary of negative polarity never has a message, one of
// positive polarity has.
func TestHealthySummaryIsTheSameInBothPolarities(t *testing.T) {
	for _, s := range []Status{True, False, Unknown} {
		in := []Input{of("A", s, "", "Because", "text"), of("B", True, "", "Fine", "well")}
		positive, _ := Summarize(in, Options{Target: Type{Name: "T", Polarity: Positive, Imported: true}})
		negative, _ := Summarize(in, Options{Target: Type{Name: "T", Polarity: Negative, Imported: true}})
		same(t, string(s)+": message", positive.Condition.Message, negative.Condition.Message)
		same(t, string(s)+": reason", positive.Condition.Reason, negative.Condition.Reason)
		same(t, string(s)+": status", opposite(positive.Condition.Status), negative.Condition.Status)
	}
}

// TestLongMessages: Flux cuts a rune apart at the limit; Cluster API v1beta2 has no limit, and its summary of 320,159 bytes is refused.
func TestLongMessages(t *testing.T) {
	k := thing()
	for shift := range 4 {
		p := k.Begin(1, nil, t1)
		p.Report("Synced", False, "AuthFailed", strings.Repeat("a", shift)+strings.Repeat("€", 200_000))
		for _, c := range p.Commit().Conditions() {
			if len(c.Message) > MaxMessageBytes || !utf8.ValidString(c.Message) || !strings.Contains(c.Message, "left out") {
				t.Errorf("%s: %d bytes, valid %t, ends in %q", c.Type, len(c.Message), utf8.ValidString(c.Message),
					c.Message[max(0, len(c.Message)-40):])
			}
		}
	}
}

// TestStarsAreText: Cluster API v1beta2 takes a star anywhere in a line for a bullet and makes a nested list of "3 * 4".
func TestStarsAreText(t *testing.T) {
	for _, text := range []string{"3 * 4 replicas", "* item", "a\n* b\n", "\t*\tx"} {
		got, _ := Summarize([]Input{of("A", False, "", "Odd", text)}, Options{Target: Type{Name: "Ready"}})
		same(t, "message", "A(Odd): "+text, got.Condition.Message)
	}
}

// TestTrueNeverOutranksUnknownOrMissing: in Flux and Cluster API v1beta1 True outranks Unknown, and Flux leaves out what is missing.
func TestTrueNeverOutranksUnknownOrMissing(t *testing.T) {
	for name, other := range map[string]Input{"unknown": of("B", Unknown, "", "Waiting", ""), "missing": {Type: "B"}} {
		for _, profile := range []Dialect{DialectCore, DialectCAPIv1beta1} {
			in := []Input{of("A", True, "", "Fine", ""), other}
			got, ok := Summarize(in, Options{Dialect: profile, Missing: MissingUnknown, Target: Type{Name: "Ready"}})
			if !ok || got.Condition.Status != Unknown {
				t.Errorf("%s, profile %q: %s, want Unknown", name, profile, got.Condition.Status)
			}
		}
	}
}

// TestReasonsWithAReferenceNeverReachTheList: Flux makes the reason "Reason @ Kind/name", which the schema of metav1 refuses together with
// the whole status.
func TestReasonsWithAReferenceNeverReachTheList(t *testing.T) {
	const odd = "Broken @ Machine/m"
	k := thing()
	p := k.Begin(1, nil, t1)
	p.ReportCondition(cond("Ready", False, odd, "", 0, t0))
	p.Report("Synced", False, odd, "")
	got := p.Commit()
	for _, c := range got.Conditions() {
		if errs := Validate(&c, DialectCore); len(errs) > 0 {
			t.Error(errs)
		}
	}
	if len(got.Errors) != 2 {
		t.Errorf("errors: %v", got.Errors)
	}
	if m, _ := Mirror(of("Ready", False, "", odd, ""), Options{Target: Type{Name: "Up", Imported: true}}); !ValidReason(
		m.Condition.Reason) {
		t.Errorf("mirror has reason %q", m.Condition.Reason)
	}
	m, _ := Summarize([]Input{of("A", False, "", odd, "")}, Options{Target: Type{Name: "Up", Imported: true}, SourceRef: true})
	if !ValidReason(m.Condition.Reason) {
		t.Errorf("summary has reason %q", m.Condition.Reason)
	}
}

// TestANewGenerationMovesNoTime: in operatorpkg each new generation of a healthy object moves Ready through Unknown and back, so that its
// time says nothing.
func TestANewGenerationMovesNoTime(t *testing.T) {
	k := steadyKind(DialectCore)
	list := steadyPass(k, nil, t0, 0).Conditions()
	for generation := int64(4); generation < 8; generation++ {
		p := k.Begin(generation, list, t0.Add(time.Duration(generation)*time.Minute))
		for i := range 10 {
			p.Report(k.Types[i].Name, True, "Working", "")
		}
		got := p.Commit()
		list = got.Conditions()
		same(t, "transitions", []Transition(nil), got.Transitions)
		for _, c := range list {
			if !c.LastTransitionTime.Time.Equal(t0) || c.ObservedGeneration != generation {
				t.Errorf("%s: since %s at generation %d", c.Type, c.LastTransitionTime, c.ObservedGeneration)
			}
		}
	}
}

// TestASummaryNeverKeepsACauseThatIsOver: kro keeps a failure on the root that is over, while another dependent is merely stale; so does
// reconciler.io while another is Unknown.
func TestASummaryNeverKeepsACauseThatIsOver(t *testing.T) {
	k := steadyKind(DialectCore)
	list := steadyPass(k, nil, t0, 1).Conditions()
	p := k.Begin(4, list, t1) // the broken one recovers, others are not looked at
	p.Report(k.Types[0].Name, True, "Working", "")
	list = p.Commit().Conditions()
	ready := list[Find(list, "Ready")]
	if ready.Status != Unknown || ready.Reason != reasonStale || strings.Contains(ready.Message, "broken") {
		t.Errorf("stale others: %s", ready.Message)
	}
	p = k.Begin(4, list, t1)
	for i := range 10 {
		if i == 5 {
			p.Report(k.Types[i].Name, Unknown, "Waiting", "for it")
		} else {
			p.Report(k.Types[i].Name, True, "Working", "")
		}
	}
	list = p.Commit().Conditions()
	ready = list[Find(list, "Ready")]
	same(t, "Unknown other", "Condition5Ready(Waiting): for it", ready.Message)
}

// TestAnExtraConditionHidesNoMissingDependent: knative counts an extra condition of error severity among the dependents, so that Ready
// becomes True although a dependent was never reported.
func TestAnExtraConditionHidesNoMissingDependent(t *testing.T) {
	k := steadyKind(DialectCore)
	k.Types = append(k.Types, Type{Name: "Extra", Role: RoleInformational})
	p := k.Begin(1, []Condition{cond("Another", True, "X", "", 1, t0)}, t1)
	p.Report("Extra", True, "X", "")
	for i := range 9 {
		p.Report(k.Types[i].Name, True, "Working", "")
	}
	list := p.Commit().Conditions()
	if ready := list[Find(list, "Ready")]; ready.Status != Unknown || !strings.Contains(ready.Message, "Condition9Ready") {
		t.Errorf("Ready=%s: %s", ready.Status, ready.Message)
	}
}

// TestTheOrderOfReportsDoesNotMatter: in knative, operatorpkg and kro the same four facts in 24 orders give two top-level conditions.
func TestTheOrderOfReportsDoesNotMatter(t *testing.T) {
	k := steadyKind(DialectCore)
	facts := []report{
		{"Condition0Ready", False, "Broken", "x"}, {"Condition1Ready", Unknown, "Waiting", "y"},
		{"Condition2Ready", True, "Working", ""}, {"Condition3Ready", False, "Broken", "z"},
	}
	var want []Condition
	n := 0
	permutations(facts, func(order []report) {
		p := k.Begin(1, nil, t1)
		for _, r := range order {
			p.Report(r.conditionType, r.status, r.reason, r.text)
		}
		got := p.Commit().Conditions()
		if n++; want == nil {
			want = got
		}
		same(t, fmt.Sprint(order), want, got)
	})
	same(t, "orders", 24, n)
}

// permutations calls f with each order of list (Heap's algorithm).
func permutations[T any](list []T, f func([]T)) {
	var step func(int)
	step = func(n int) {
		if n == 1 {
			f(list)
			return
		}
		for i := range n {
			step(n - 1)
			if n%2 == 0 {
				list[i], list[n-1] = list[n-1], list[i]
			} else {
				list[0], list[n-1] = list[n-1], list[0]
			}
		}
	}
	if len(list) == 0 {
		f(list)
		return
	}
	step(len(list))
}

// TestTheReasonComesFromWhatDecided: knative can put the reason of the Unknown dependent on a top level that is False.
func TestTheReasonComesFromWhatDecided(t *testing.T) {
	k := steadyKind(DialectCore)
	permutations([]report{{"Condition0Ready", False, "Broken", "x"}, {"Condition1Ready", Unknown, "Waiting", "y"},
		{"Condition2Ready", True, "Working", ""}}, func(order []report) {
		p := k.Begin(1, nil, t1)
		for _, r := range order {
			p.Report(r.conditionType, r.status, r.reason, r.text)
		}
		list := p.Commit().Conditions()
		if ready := list[Find(list, "Ready")]; ready.Status != False || ready.Reason != "Broken" {
			t.Errorf("%v: Ready=%s %s", order, ready.Status, ready.Reason)
		}
	})
}

// TestTimesSurviveTheWire: apimachinery stamps nanoseconds, which the API server does not keep: what is in memory differs from what is read
// back.
func TestTimesSurviveTheWire(t *testing.T) {
	p := thing().Begin(1, nil, t1.Add(123456789*time.Nanosecond))
	p.Report("Synced", True, "UpToDate", "")
	list := p.Commit().Conditions()
	var wire []any
	for _, c := range list {
		wire = append(wire, ToUnstructured(c, DialectCore))
	}
	back, errs := FromUnstructured(wire)
	same(t, "errors", 0, len(errs))
	same(t, "list", list, back)
}

// TestTheStoredListIsNeverWritten: apimachinery edits the backing array of the caller's list, which may be that of a cache.
func TestTheStoredListIsNeverWritten(t *testing.T) {
	backing := make([]Condition, 2, 8)
	backing[0], backing[1] = cond("Ready", True, reasonHealthy, "", 1, t0), cond("Synced", True, "UpToDate", "", 1, t0)
	whole := backing[:8:8]
	before := append([]Condition(nil), whole...)
	p := thing().Begin(2, backing, t1)
	p.Report("Synced", False, "AuthFailed", "401")
	p.Report("Degraded", True, "Slow", "")
	got := p.Commit()
	got.Conditions()[0].Message = "mine"
	_ = append(got.Owned(), cond("More", True, "X", "", 1, t0))
	same(t, "backing array", before, whole)
}

// TestAnOlderObserverNeverWins: with every library a stale copy at generation 2 overwrites what was observed at generation 5.
func TestAnOlderObserverNeverWins(t *testing.T) {
	stored := []Condition{cond("Ready", True, reasonHealthy, "", 5, t0), cond("Synced", True, "UpToDate", "", 5, t0),
		cond("Degraded", True, "Slow", "", 1, t0)}
	p := thing().Begin(2, stored, t1)
	p.Report("Synced", False, "AuthFailed", "401")
	p.Report("Degraded", False, "Fine", "")
	got := p.Commit()
	same(t, "conditions", stored[:2], got.Conditions())
	same(t, "superseded", []string{"Ready", "Synced"}, got.Superseded)
}

// TestConditionsOfOthersStopNothing: with Cluster API's patch one conflict about somebody else's condition stops every change of one's own.
func TestConditionsOfOthersStopNothing(t *testing.T) {
	stored := []Condition{
		cond("Theirs", "Maybe", "not valid @ all", "", 99, time.Time{}), cond("Theirs", True, "X", "", -1, t2), cond("", True, "", "", 0, t0),
	}
	p := thing().Begin(1, stored, t1)
	p.Report("Theirs", True, "Ours", "") // not declared: an error, and nothing else
	p.Report("Synced", True, "UpToDate", "")
	got := p.Commit()
	same(t, "conditions", append(append([]Condition(nil), stored...), cond("Ready", True, reasonHealthy, "", 1, t1),
		cond("Synced", True, "UpToDate", "", 1, t1)), got.Conditions())
	same(t, "errors", []string{`Thing: condition "Theirs" is not declared`}, texts(got.Errors))
}

// TestTheGenerationIsTheReconciledOne: Flux stamps the generation of the object that it reads while patching: what was computed for
// generation 1 is stored as observed at generation 2. Here the generation is that of Begin; package apply never changes it.
func TestTheGenerationIsTheReconciledOne(t *testing.T) {
	p := thing().Begin(1, nil, t1)
	c := cond("Synced", True, "UpToDate", "", 2, t0)
	p.ReportCondition(c) // a generation that comes with a condition is somebody else's
	for _, c := range p.Commit().Conditions() {
		same(t, c.Type, int64(1), c.ObservedGeneration)
	}
}

// TestAggregatesNameTheRightObject: Flux finds the object of an aggregate by the position of the condition in its list: it names the wrong
// object, and panics when the list is longer than the fleet.
func TestAggregatesNameTheRightObject(t *testing.T) {
	in := []Input{
		ofObject("good", of("Ready", True, "", "Up", "")), ofObject("bad", of("Ready", False, "", "Broken", "disk")),
	}
	for range 30 { // many conditions of one object
		in = append(in, ofObject("good", of("Other", True, "", "Up", "")))
	}
	for _, profile := range []Dialect{DialectCore, DialectCAPIv1beta1} {
		got, _ := Aggregate(in, Options{Dialect: profile, Target: Type{Name: "Ready", Imported: true}, SourceRef: true})
		if len(got.Causes) != 1 || got.Causes[0].Object.Name != "bad" {
			t.Errorf("profile %q: causes %v", profile, got.Causes)
		}
		if profile == DialectCAPIv1beta1 {
			same(t, "reason", "Broken @ Machine/bad", got.Condition.Reason)
		}
	}
}

// TestOnlyAStatusMovesTheTime: Flux (and Cluster API v1beta1) move lastTransitionTime when only the reason or the message changes.
func TestOnlyAStatusMovesTheTime(t *testing.T) {
	stored := []Condition{cond("Ready", False, "AuthFailed", "Synced(AuthFailed): 401", 1, t0), cond("Synced", False, "AuthFailed", "401", 1,
		t0)}
	for _, r := range []report{{"Synced", False, "AuthFailed", "403"}, {"Synced", False, "StoreMissing", "401"}} {
		p := thing().Begin(1, stored, t1)
		p.Report(r.conditionType, r.status, r.reason, r.text)
		got := p.Commit()
		if !got.Changed {
			t.Errorf("%v changes nothing", r)
		}
		for _, c := range got.Conditions() {
			same(t, c.Type, t0, c.LastTransitionTime.Time)
		}
	}
}

// TestMalformedEntries: Cluster API v1beta2 and operatorpkg panic on conditions of the wrong shape; Flux drops the whole list without a
// word.
func TestMalformedEntries(t *testing.T) {
	good := map[string]any{"type": "Good", "status": "True", "reason": "Up", "message": "", "lastTransitionTime": "2026-01-02T03:04:05Z",
		"observedGeneration": int64(1)}
	for name, bad := range map[string]any{
		"a number":            3,
		"nothing":             nil,
		"a list":              []any{good},
		"a number as type":    map[string]any{"type": 7, "status": "True"},
		"a generation of 1.5": map[string]any{"type": "A", "status": "True", "observedGeneration": 1.5},
		"no time":             map[string]any{"type": "A", "status": "True", "lastTransitionTime": "yesterday"},
		"a bool as status":    map[string]any{"type": "A", "status": true},
		"an object as reason": map[string]any{"type": "A", "status": "True", "reason": map[string]any{}},
	} {
		t.Run(name, func(t *testing.T) {
			list, errs := FromUnstructured([]any{bad, good})
			if len(errs) == 0 {
				t.Error("no error")
			}
			if i := Find(list, "Good"); i < 0 || list[i].Reason != "Up" {
				t.Errorf("the good entry is lost: %v", list)
			}
		})
	}
}

// TestTypesAreNotMatchedBySuffix: library-go rolls up by the suffix of the type, so that NotReady=True makes Ready healthy.
func TestTypesAreNotMatchedBySuffix(t *testing.T) {
	p := thing().Begin(1, []Condition{cond("NotSynced", True, "UpToDate", "", 1, t0)}, t1)
	list := p.Commit().Conditions()
	same(t, "Ready", Unknown, list[Find(list, "Ready")].Status)
}

// TestGenerationZeroIsReplaced: Crossplane takes generation 0 for equal to any, so that old conditions never get one.
func TestGenerationZeroIsReplaced(t *testing.T) {
	stored := []Condition{cond("Ready", True, reasonHealthy, "", 0, t0), cond("Synced", True, "UpToDate", "", 0, t0)}
	p := thing().Begin(3, stored, t1)
	p.Report("Synced", True, "UpToDate", "")
	got := p.Commit()
	for _, c := range got.Conditions() {
		same(t, c.Type, int64(3), c.ObservedGeneration)
		same(t, c.Type, t0, c.LastTransitionTime.Time)
	}
}

// TestTheGenerationOfWhatWasNotLookedAtStays: operatorpkg raises the generation of every other condition of an object that is deleted,
// though nobody looked.
func TestTheGenerationOfWhatWasNotLookedAtStays(t *testing.T) {
	stored := []Condition{cond("Ready", True, reasonHealthy, "", 3, t0), cond("Synced", True, "UpToDate", "", 3, t0)}
	p := thing().Begin(4, stored, t1)
	p.Report("Degraded", True, "Slow", "")
	list := p.Commit().Conditions()
	same(t, "Synced", int64(3), list[Find(list, "Synced")].ObservedGeneration)
}
