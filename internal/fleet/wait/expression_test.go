// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
)

func subject(t testing.TB, raw string) Subject {
	t.Helper()
	s := Subject{Now: zero, Judgement: relation.Judgement{Verdict: verdict.NotFound}}
	if raw == "" {
		return s
	}
	if err := json.Unmarshal([]byte(raw), &s.Content); err != nil {
		t.Fatal(err)
	}
	var e verdict.Engine
	s.Judgement = relation.JudgementOf(e.Judge(s.Content, s.Now))
	return s
}

const (
	widget = `{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"w","generation":2,"uid":"u"},"status":{"observedGeneration":2,"phase":"Up",
"conditions":[{"type":"Ready","status":"True","reason":"AsAsked"},{"type":"Old","status":"True","observedGeneration":1},{"type":"Broken","status":"False"},
{"type":"Twice","status":"True"},{"type":"Twice","status":"False"}]}}`
	stale = `{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"w","generation":3},"status":{"observedGeneration":2,"conditions":[{"type":"Ready","status":"True"}]}}`
	bad   = `{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"w"},"status":{"conditions":[{"type":"Ready","status":"False","reason":"QuotaExceeded"}]}}`
	job   = `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{},"status":{"conditions":[{"type":"Failed","status":"True","reason":"BackoffLimitExceeded"}]}}`
)

func TestExpression(t *testing.T) {
	tests := map[string]struct {
		expression, object string
		want               bool
	}{
		"verdict":               {"verdict", widget, true},
		"verdict by name":       {"verdict=Suspended,Current", widget, true},
		"another verdict":       {"verdict=Failed", widget, false},
		"verdict of a stale":    {"verdict", stale, false},
		"not found":             {"verdict=NotFound", "", true},
		"ready":                 {"ready", widget, true},
		"not ready":             {"ready", bad, false},
		"condition":             {"condition=Ready", widget, true},
		"any case":              {"condition=ready=true:asasked", widget, true},
		"another status":        {"condition=Ready=False", widget, false},
		"another reason":        {"condition=Ready=True:Other", widget, false},
		"false on purpose":      {"condition=Broken=False", widget, true},
		"no such condition":     {"condition=Synced", widget, false},
		"stale condition":       {"condition=Old", widget, false},
		"stale status":          {"condition=Ready", stale, false},
		"contradiction":         {"condition=Twice", widget, false},
		"of nothing":            {"condition=Ready", "", false},
		"create":                {"create", widget, true},
		"not created":           {"create", "", false},
		"delete":                {"delete", "", true},
		"not deleted":           {"delete", widget, false},
		"path":                  {"jsonpath={.status.phase}=Up", widget, true},
		"path without braces":   {"jsonpath=.status.phase='Up'", widget, true},
		"path, another value":   {"jsonpath={.status.phase}=Down", widget, false},
		"path, any value":       {"jsonpath={.status.phase}", widget, true},
		"path, number":          {"jsonpath={.metadata.generation}=2", widget, true},
		"path, not there":       {"jsonpath={.status.ip}", widget, false},
		"path with a filter":    {`jsonpath={.status.conditions[?(@.type=="Ready")].status}=True`, widget, true},
		"path of nothing":       {"jsonpath={.status.phase}=Up", "", false},
		"cel":                   {"cel=self.status.phase == 'Up'", widget, true},
		"cel with a condition":  {"cel=condition(self, 'Ready').reason == 'AsAsked'", widget, true},
		"cel about the verdict": {"cel=variables.verdict == 'Current' && variables.ready", widget, true},
		"cel, missing field":    {"cel=self.status.replicas > 2", widget, false},
		"cel of nothing":        {"cel=true", "", false},
		"cel, optional":         {"cel=self.?status.replicas.orValue(0) == 0", widget, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e, err := ParseExpression(test.expression)
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := e.Holds(subject(t, test.object))
			if err != nil || got != test.want {
				t.Errorf("%s = %v, %v; want %v", e.text, got, err, test.want)
			}
		})
	}
}

// TestOptional: an optional condition that the catalog declares as healthy while it is False is what was waited for, unless a status is
// asked for. A cell of another class is not, and neither is the same condition without the word.
func TestOptional(t *testing.T) {
	const text = `apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: widgets.example.org}
spec:
  for: {group: example.org, kind: Widget, versions: [v1]}
  dialect: core
  conditions:
  - type: BackedUp
    meaning: There is a backup.
    polarity: positive
    optional: true
    reasons:
    - {reason: Done, status: "True", class: ok, meaning: There is one.}
    - {reason: NotConfigured, status: "False", class: ok, meaning: None is asked for.}
    - {reason: Running, status: "False", class: progress, meaning: It is being written.}
`
	tests := map[string]struct {
		expression, reason, catalog string
		want                        bool
	}{
		"by design":             {"condition=BackedUp", "NotConfigured", text, true},
		"a status is asked for": {"condition=BackedUp=True", "NotConfigured", text, false},
		"not yet":               {"condition=BackedUp", "Running", text, false},
		"undeclared":            {"condition=BackedUp", "Other", text, false},
		"not optional":          {"condition=BackedUp", "NotConfigured", strings.Replace(text, "    optional: true\n", "", 1), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			set, err := catalog.Load(map[string][]byte{"a.yaml": []byte(test.catalog)})
			if err != nil {
				t.Fatal(err)
			}
			e, err := ParseExpression(test.expression)
			if err != nil {
				t.Fatal(err)
			}
			s := subject(t, `{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"w"},"status":{"conditions":[{"type":"BackedUp","status":"False","reason":"`+test.reason+`"}]}}`)
			s.Kind = set.Kinds()[0]
			if got, _, err := e.Holds(s); err != nil || got != test.want {
				t.Errorf("%s = %v, %v; want %v", test.expression, got, err, test.want)
			}
		})
	}
}

func TestExpressionErrors(t *testing.T) {
	tests := map[string]string{
		"":                     "is no expression",
		"condition":            "is no expression",
		"condition=":           "write condition=TYPE",
		"condition=A=":         "write condition=TYPE",
		"condition=A:":         "write condition=TYPE",
		"verdict=Fine":         "Fine",
		"verdict=":             "verdict",
		"delete=now":           "is no expression",
		"jsonpath={.a}=":       "no value",
		"jsonpath==x":          "no path",
		"jsonpath={.a[}":       "unterminated",
		"cel=self.status.":     "line 1, column",
		"cel=self.a == other":  "line 1, column 11",
		"cel='text'":           "want bool",
		"jsonpaths={.a}=b":     "is no expression",
		"Condition=Ready=True": "is no expression",
	}
	for text, want := range tests {
		if _, err := ParseExpression(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseExpression(%q): %v; want %q", text, err, want)
		}
	}
}

// TestTimeInExpressions: an expression about the clock returns when to evaluate it again.
func TestTimeInExpressions(t *testing.T) {
	e, err := ParseExpression("cel=after('2026-01-02T03:04:35Z', duration('1m'))")
	if err != nil {
		t.Fatal(err)
	}
	ok, next, err := e.Holds(subject(t, widget))
	if ok || err != nil || !next.Equal(zero.Add(90*time.Second)) {
		t.Errorf("got %v, %v, %v", ok, next, err)
	}
}

// overdue is a Deployment whose old pods serve, and whose new ones do not start.
const overdue = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"generation":2},"spec":{"replicas":3},"status":{"observedGeneration":2,
"replicas":4,"updatedReplicas":1,"readyReplicas":3,"availableReplicas":3,"conditions":[{"type":"Available","status":"True"},
{"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded"}]}}`

// stuck and slow are objects of the conventions of kpt: one with a problem, and one that takes longer than expected.
const (
	stuck = `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"generation":2},"status":{"observedGeneration":2,"conditions":[
{"type":"Stalled","status":"True","reason":"ProblemObserved"}]}}`
	slow = `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"generation":2},"status":{"observedGeneration":2,"conditions":[
{"type":"Stalled","status":"True","reason":"ProgressDeadlineExceeded"}]}}`
)

func TestFacts(t *testing.T) {
	parse := func(texts ...string) (out []Expression) {
		for _, text := range texts {
			e, err := ParseExpression(text)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, e)
		}
		return out
	}
	standard := Test{For: parse("verdict"), Fail: parse(Failures()...), FailedFor: -1}
	tests := map[string]struct {
		test    Test
		object  string
		existed bool
		want    Facts
	}{
		"met":                      {standard, widget, true, Facts{Met: true}},
		"a guess must last":        {standard, bad, true, Facts{Failed: true, Grace: GuessGrace}},
		"knowledge need not":       {standard, job, true, Facts{Failed: true}},
		"a deadline has passed":    {standard, overdue, true, Facts{Failed: true}},
		"stalled goes on":          {standard, stuck, true, Facts{}},
		"stalled, late":            {standard, slow, true, Facts{}},
		"stalled, and it is asked": {Test{For: parse("verdict"), Fail: parse("verdict=Failed"), FailedFor: 0}, stuck, true, Facts{Failed: true}},
		"as long as asked": {Test{For: parse("verdict"), Fail: parse("verdict=Failed"), FailedFor: time.Second}, job, true,
			Facts{Failed: true, Grace: time.Second}},
		"asked for by name": {Test{For: parse("verdict"), Fail: parse("verdict=Failed", "condition=Ready=False"), FailedFor: -1}, bad,
			true, Facts{Failed: true}},
		"all at once":              {Test{For: parse("verdict", "condition=Broken")}, widget, true, Facts{}},
		"missing":                  {standard, "", false, Facts{Missing: true}},
		"gone is wanted":           {Test{For: parse("delete")}, "", false, Facts{Missing: true, Met: true}},
		"gone is a failure":        {Test{For: parse("verdict"), Fail: parse("delete")}, "", true, Facts{Missing: true, Failed: true}},
		"never there is a failure": {Test{For: parse("verdict"), Fail: parse("delete")}, "", false, Facts{Missing: true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := subject(t, test.object)
			s.Existed = test.existed
			got, _, err := test.test.Facts(s)
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("%v; -want +got\n%s", err, diff)
			}
		})
	}
}

// TestLacks: a wait for a condition or a path that an object does not have says so, with the conditions that it has.
func TestLacks(t *testing.T) {
	for text, want := range map[string]string{
		"condition=Avaliable":           "it has no condition Avaliable, but Available, Progressing",
		"condition=available":           "",
		"jsonpath={.status.phase}=Up":   "it has no {.status.phase}",
		"jsonpath={.status.replicas}=9": "",
		"verdict":                       "",
	} {
		e, err := ParseExpression(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := (Test{For: []Expression{e}}).Lacks(subject(t, overdue)); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestFingerprint(t *testing.T) {
	same := func(a, b string) bool {
		return Fingerprint(subject(t, a).Content) == Fingerprint(subject(t, b).Content)
	}
	base := `{"metadata":{"generation":1,"resourceVersion":"1"},"status":{"a":[1,"x"],"at":"2026-01-02T03:04:05Z"}}`
	tests := map[string]struct {
		other string
		want  bool
	}{
		"heartbeat":       {strings.Replace(base, "03:04:05", "09:09:09", 1), true},
		"resourceVersion": {strings.Replace(base, `"resourceVersion":"1"`, `"resourceVersion":"2"`, 1), true},
		"generation":      {strings.Replace(base, `"generation":1`, `"generation":2`, 1), false},
		"value":           {strings.Replace(base, `"x"`, `"y"`, 1), false},
		"shape":           {strings.Replace(base, `[1,"x"]`, `[[1,"x"]]`, 1), false},
		"number or text":  {strings.Replace(base, `[1,`, `["1",`, 1), false},
		"deletion":        {strings.Replace(base, `"generation":1`, `"generation":1,"deletionTimestamp":"2026-01-02T03:04:05Z"`, 1), false},
	}
	for name, test := range tests {
		if same(base, test.other) != test.want {
			t.Errorf("%s: same should be %v", name, test.want)
		}
	}
}

func FuzzParseExpression(f *testing.F) {
	for _, seed := range []string{"verdict=Current,Failed", "condition=Ready=True:Why", "cel=self.a.b == 'c'", "delete", "ready",
		"condition=:="} {
		f.Add(seed, widget)
	}
	f.Fuzz(func(t *testing.T, text, object string) {
		e, err := ParseExpression(text)
		if err != nil {
			return
		}
		var s Subject
		if json.Unmarshal([]byte(object), &s.Content) != nil || s.Content == nil {
			return
		}
		var engine verdict.Engine
		s.Judgement, s.Now = relation.JudgementOf(engine.Judge(s.Content, zero)), zero
		first, _, _ := e.Holds(s)
		if second, _, _ := e.Holds(s); first != second {
			t.Errorf("%q holds and does not", text)
		}
		if diff := cmp.Diff(e.text, text, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}
