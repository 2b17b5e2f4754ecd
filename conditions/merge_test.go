// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	. "github.com/tristate/tristate/conditions"
	. "github.com/tristate/tristate/conditions/rollup"
	. "github.com/tristate/tristate/conditions/wire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestSummarizeNative(t *testing.T) {
	ready := Type{Name: "Ready", Polarity: Positive}
	imported := Type{Name: "Ready", Polarity: Positive, Imported: true}
	declared := Type{Name: "Ready", Polarity: Positive, Reasons: []Reason{
		{Name: "AuthFailed", Aliases: []string{"AuthFialed"}, Status: False},
		{Name: "StoreMissing", Status: False},
		{Name: "Waiting", Status: Unknown},
		{Name: "AllGood", Status: True},
		{Name: "SomethingFailed", Status: False},
	}}
	tests := map[string]struct {
		in     []Input
		o      Options
		want   Condition
		none   bool
		causes []string
	}{
		"nothing is no result": {o: Options{Target: ready}, none: true},
		"all optional and missing is no result": {
			in: []Input{{Type: "A", Optional: true}}, o: Options{Target: ready}, none: true,
		},
		"neutral never counts": {
			in: []Input{{Type: "A", Polarity: Neutral}, of("B", True, "", "Good", "")}, o: Options{Target: ready},
			want: merged(True, "", reasonHealthy, ""),
		},
		"healthy takes the declared reason": {
			in: []Input{of("A", True, "", "Good", "fine")}, o: Options{Target: declared},
			want: merged(True, "", "AllGood", ""),
		},
		"one cause keeps its reason": {
			in: []Input{of("A", True, "", "Good", ""), of("B", False, SeverityWarning, "Broken", "disk full")}, o: Options{Target: imported},
			want:   merged(False, SeverityWarning, "Broken", "B(Broken): disk full"),
			causes: []string{"B=False Broken"},
		},
		"between equals the declared order decides": {
			in: []Input{at(of("A", False, "", "Old", "x"), 1), at(of("B", False, "", "New", "y"), 2)}, o: Options{Target: imported},
			want: merged(False, "", reasonUnhealthy, "A(Old): x; B(New): y"), causes: []string{"A=False Old", "B=False New"},
		},
		"the most recent between equals": {
			in:   []Input{at(of("A", False, "", "Old", "x"), 1), at(of("B", False, "", "New", "y"), 2), at(of("C", False, "", "Same", "z"), 2)},
			o:    Options{Target: imported, Recent: true},
			want: merged(False, "", reasonUnhealthy, "B(New): y; C(Same): z; A(Old): x"), causes: []string{"B=False New", "C=False Same",
				"A=False Old"},
		},
		"the most important before the most recent": {
			in: []Input{at(of("A", False, SeverityError, "Old", "x"), 1), at(of("B", False, SeverityWarning, "New", "y"), 2),
				at(of("C", Unknown, "", "Newest", "z"), 3)},
			o:      Options{Target: imported, Recent: true},
			want:   merged(False, SeverityError, reasonUnhealthy, "A(Old): x; B(New): y; C(Newest): z"),
			causes: []string{"A=False Old", "B=False New", "C=Unknown Newest"},
		},
		"a reason of nobody falls back": {
			in: []Input{of("B", False, "", "Broken", "")}, o: Options{Target: declared},
			want: merged(False, "", "SomethingFailed", "B(Broken)"), causes: []string{"B=False Broken"},
		},
		"a declared reason goes by its right name": {
			in: []Input{of("B", False, "", "AuthFialed", "")}, o: Options{Target: declared},
			want: merged(False, "", "AuthFailed", "B(AuthFialed)"), causes: []string{"B=False AuthFialed"},
		},
		"precedence among several": {
			in: []Input{of("A", False, "", "StoreMissing", "no store"), of("B", False, "", "AuthFailed", "401")}, o: Options{Target: declared},
			want:   merged(False, "", "AuthFailed", "A(StoreMissing): no store; B(AuthFailed): 401"),
			causes: []string{"A=False StoreMissing", "B=False AuthFailed"},
		},
		"several, stock reason": {
			in: []Input{of("A", False, "", "X", ""), of("B", False, "", "Y", "")}, o: Options{Target: ready},
			want: merged(False, "", reasonUnhealthy, "A(X); B(Y)"), causes: []string{"A=False X", "B=False Y"},
		},
		"several that agree": {
			in: []Input{of("A", False, "", "X", "a"), of("B", False, "", "X", "b")}, o: Options{Target: imported},
			want: merged(False, "", "X", "A(X): a; B(X): b"), causes: []string{"A=False X", "B=False X"},
		},
		"unhealthy outranks Unknown, which is named too": {
			in: []Input{of("A", Unknown, "", "Lost", "?"), of("B", False, "", "X", "")}, o: Options{Target: imported},
			want: merged(False, "", "X", "B(X); A(Lost): ?"), causes: []string{"B=False X", "A=Unknown Lost"},
		},
		"Unknown outranks healthy": {
			in: []Input{of("A", Unknown, "", "Lost", ""), of("B", True, "", "X", "")}, o: Options{Target: imported},
			want: merged(Unknown, "", "Lost", "A(Lost)"), causes: []string{"A=Unknown Lost"},
		},
		"missing is Unknown": {
			in: []Input{{Type: "A"}, of("B", True, "", "X", "")}, o: Options{Target: ready},
			want: merged(Unknown, "", ReasonNotReported, "A(NotReported): not reported"), causes: []string{"A=Unknown NotReported"},
		},
		"missing takes the declared Unknown": {
			in: []Input{{Type: "A"}}, o: Options{Target: declared},
			want: merged(Unknown, "", "Waiting", "A(NotReported): not reported"), causes: []string{"A=Unknown NotReported"},
		},
		"missing is skipped on request": {
			in: []Input{{Type: "A"}, of("B", True, "", "X", "")}, o: Options{Target: ready, Missing: MissingSkip},
			want: merged(True, "", reasonHealthy, ""),
		},
		"stale is Unknown and named": {
			in: []Input{{Type: "A", Stale: true, Condition: of("A", True, "", "X", "").Condition}}, o: Options{Target: ready},
			want:   merged(Unknown, "", reasonStale, "A(Stale): observed at an older generation"),
			causes: []string{"A=Unknown Stale"},
		},
		"worst severity first and on the result": {
			in: []Input{of("A", False, SeverityInfo, "X", ""), of("B", False, SeverityError, "Y", ""), of("C", False, SeverityWarning, "Z", "")},
			o:  Options{Target: ready}, want: merged(False, SeverityError, reasonUnhealthy, "B(Y); C(Z); A(X)"),
			causes: []string{"B=False Y", "C=False Z", "A=False X"},
		},
		"negative dependent": {
			in:   []Input{negative(of("Degraded", True, "", "Slow", "")), negative(of("Stuck", False, "", "No", ""))},
			o:    Options{Target: imported},
			want: merged(False, "", "Slow", "Degraded(Slow)"), causes: []string{"Degraded=True Slow"},
		},
		"negative target": {
			in: []Input{of("A", False, "", "X", "")}, o: Options{Target: Type{Name: "Ready", Polarity: Negative, Imported: true}},
			want: merged(True, "", "X", "A(X)"), causes: []string{"A=False X"},
		},
		"counter with negative and missing": {
			in: []Input{negative(of("D", False, "", "", "")), of("A", True, "", "", ""), of("B", False, "", "X", "text"),
				{Type: "C", Optional: true}},
			o:    Options{Target: imported, Counter: true},
			want: merged(False, "", "X", "2 of 3 completed: B(X): text"), causes: []string{"B=False X"},
		},
		"the deepest cause is named": {
			in: []Input{{Type: "A", Condition: of("A", False, "", "X", "").Condition,
				Causes: []Cause{cause(ObjectRef{Kind: "Pod", Name: "p"}, "Ready", False, "", "Crash", "")}}},
			o: Options{Target: imported}, want: merged(False, "", "X", "A(X)"), causes: []string{"Pod/p Ready=False Crash"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok := Summarize(tt.in, tt.o)
			same(t, "result", !tt.none, ok)
			same(t, "condition", tt.want, got.Condition)
			same(t, "causes", tt.causes, causeTexts(got.Causes))
		})
	}
}

func causeTexts(causes []Cause) []string {
	var out []string
	for _, c := range causes {
		text := fmt.Sprintf("%s=%s %s", c.Type, c.Status, c.Reason)
		if c.Object != (ObjectRef{}) {
			text = c.Object.String() + " " + text
		}
		out = append(out, text)
	}
	return out
}

func TestAggregateNative(t *testing.T) {
	target := Type{Name: "Ready", Imported: true}
	broken := func(name, reason, message string) Input {
		return ofObject(name, of("Ready", False, SeverityError, reason, message))
	}
	tests := map[string]struct {
		in   []Input
		want Condition
	}{
		"all healthy": {
			in:   []Input{ofObject("a", of("Ready", True, "", "Up", "")), ofObject("b", of("Ready", True, "", "Up", ""))},
			want: merged(True, "", reasonHealthy, ""),
		},
		"equal texts stand together": {
			in: []Input{broken("e", "X", "t"), broken("b", "Y", "u"), broken("a", "X", "t"), broken("d", "X", "t"), broken("c", "X", "t"),
				broken("f", "X", "t")},
			want: merged(False, SeverityError, reasonUnhealthy,
				"Ready(X): t [a, c, d and 2 more]; Ready(Y): u [b]"),
		},
		"kinds and namespaces where they differ": {
			in: []Input{
				{Object: ObjectRef{Kind: "Pod", Namespace: "n1", Name: "p"}, Type: "Ready", Condition: broken("", "X", "").Condition},
				{Object: ObjectRef{Kind: "Node", Name: "p"}, Type: "Ready", Condition: broken("", "X", "").Condition},
			},
			want: merged(False, SeverityError, "X", "Ready(X) [Node/p, Pod/n1/p]"),
		},
		"each kind has its budget of texts": {
			in: func() []Input {
				var in []Input
				for i := range 15 {
					x := of("Ready", False, SeverityError, "X", fmt.Sprintf("text %02d", i))
					x.Object = ObjectRef{Kind: "Pod", Name: fmt.Sprintf("p%02d", i)}
					in = append(in, x, x)
					in[2*i].Object.Name += "a"
				}
				node := of("Ready", False, SeverityInfo, "Y", "last")
				node.Object = ObjectRef{Kind: "Node", Name: "n"}
				return append(in, node)
			}(),
			want: merged(False, SeverityError, reasonUnhealthy, func() string {
				out := ""
				for i := range 10 {
					out += fmt.Sprintf("Ready(X): text %02d [Pod/p%02d, Pod/p%02da]; ", i, i, i)
				}
				return out + "Ready(Y): last [Node/n]; and 10 more"
			}()),
		},
		"a missing one": {
			in:   []Input{ofObject("a", Input{Type: "Ready"}), ofObject("b", of("Ready", True, "", "", ""))},
			want: merged(Unknown, "", ReasonNotReported, "Ready(NotReported): not reported [a]"),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, _ := Aggregate(tt.in, Options{Target: target})
			same(t, "condition", tt.want, got.Condition)
		})
	}
}

func TestMergeCAPIv1beta1(t *testing.T) {
	o := Options{Dialect: DialectCAPIv1beta1, Target: Type{Name: "Ready"}}
	tests := map[string]struct {
		in     []Input
		change func(*Options)
		want   Condition
		none   bool
	}{
		"nothing reported is no condition": {in: []Input{{Type: "A"}}, none: true},
		"nothing reported with missing unknown is no condition either": {
			in: []Input{{Type: "A"}}, change: func(o *Options) { o.Missing = MissingUnknown }, none: true,
		},
		"True is bare": {in: []Input{of("A", True, "", "Good", "fine")}, want: merged(True, "", "", "")},
		"Error before Warning before Info": {
			in: []Input{of("A", False, SeverityInfo, "I", "i"), of("B", False, SeverityError, "E", "e"),
				of("C", False, SeverityWarning, "W", "w")},
			want: merged(False, SeverityError, "E", "e"),
		},
		"Unknown outranks True": {
			in: []Input{of("A", True, "", "", ""), of("B", Unknown, "", "Lost", "gone")}, want: merged(Unknown, "", "Lost", "gone"),
		},
		"True outranks Unknown upstream": {
			in:     []Input{of("A", True, "", "", ""), of("B", Unknown, "", "Lost", "gone")},
			change: func(o *Options) { o.Exact = true }, want: merged(True, "", "", ""),
		},
		"False without severity is an Error": {
			in: []Input{of("A", False, "", "X", ""), of("B", True, "", "", "")}, want: merged(False, SeverityError, "X", ""),
		},
		"missing counts on request": {
			in:     []Input{{Type: "A"}, of("B", True, "", "", "")},
			change: func(o *Options) { o.Missing = MissingUnknown }, want: merged(Unknown, "", ReasonNotReported, "not reported"),
		},
		"counter counts what is missing too": {
			in:     []Input{{Type: "A"}, of("B", True, "", "", ""), of("C", False, SeverityInfo, "Provisioning", "text")},
			change: func(o *Options) { o.Counter = true }, want: merged(False, SeverityInfo, "Provisioning", "1 of 3 completed"),
		},
		"source reference": {
			in:     []Input{ofObject("m-1", of("Ready", False, SeverityError, "X", ""))},
			change: func(o *Options) { o.SourceRef = true }, want: merged(False, SeverityError, "X @ Machine/m-1", ""),
		},
		"the source reference of the first source stays": {
			in:     []Input{ofObject("m-1", of("Ready", False, SeverityError, "X @ Pod/p", ""))},
			change: func(o *Options) { o.SourceRef = true }, want: merged(False, SeverityError, "X @ Pod/p", ""),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := o
			if tt.change != nil {
				tt.change(&o)
			}
			got, ok := Summarize(tt.in, o)
			same(t, "result", !tt.none, ok)
			same(t, "condition", tt.want, got.Condition)
		})
	}
}

func TestMirror(t *testing.T) {
	capi := func(o *Options) { o.Dialect = DialectCAPIv1beta1 }
	tests := map[string]struct {
		in     Input
		change func(*Options)
		want   Condition
		none   bool
	}{
		"copies":                   {in: of("Up", False, SeverityWarning, "X", "text"), want: merged(False, SeverityWarning, "X", "text")},
		"missing is Unknown":       {in: Input{Type: "Up"}, want: merged(Unknown, "", ReasonNotReported, "not reported")},
		"missing is skipped":       {in: Input{Type: "Up"}, change: func(o *Options) { o.Missing = MissingSkip }, none: true},
		"turns over with polarity": {in: negative(of("Down", True, "", "X", "")), want: merged(False, "", "X", "")},
		"a foreign reason is named": {in: of("Up", False, "", "X", "text"), change: func(o *Options) {
			o.Target.Imported = false
			o.Target.Reasons = []Reason{{Name: "Bad", Status: False}}
		}, want: merged(False, "", "Bad", "Up(X): text")},
		"capi copies": {in: of("Up", False, SeverityWarning, "X", "text"), change: capi,
			want: merged(False, SeverityWarning, "X", "text")},
		"capi makes none of none": {in: Input{Type: "Up"}, change: capi, none: true},
		"capi neutral has no severity": {
			in: Input{Type: "Up", Polarity: Neutral, Condition: of("Up", False, "", "X", "").Condition}, change: capi,
			want: merged(False, "", "X", ""),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := Options{Target: Type{Name: "Ready", Imported: true}}
			if tt.change != nil {
				tt.change(&o)
			}
			got, ok := Mirror(tt.in, o)
			same(t, "result", !tt.none, ok)
			same(t, "condition", tt.want, got.Condition)
		})
	}
}

// Upstream cuts runes apart, or has no limit.
func TestMessagesAreCutWholeEntriesFirst(t *testing.T) {
	var in []Input
	for i := range 40 {
		in = append(in, of(fmt.Sprintf("Type%02d", i), False, "", "Broken", strings.Repeat("ü", 1000)))
	}
	got, _ := Summarize(in, Options{Target: Type{Name: "Ready"}})
	m := got.Condition.Message
	if len(m) > MaxMessageBytes || !utf8.ValidString(m) {
		t.Fatalf("message has %d bytes, valid UTF-8 %t", len(m), utf8.ValidString(m))
	}
	if want := "; and 24 more"; !strings.HasSuffix(m, want) {
		t.Errorf("message ends in %q, want %q", m[len(m)-40:], want)
	}
	if n := strings.Count(m, "Type"); n != 16 {
		t.Errorf("%d entries are left, want 16", n)
	}
	if len(got.Causes) != 40 {
		t.Errorf("%d causes are left, want all 40", len(got.Causes))
	}
}

func TestCutMessage(t *testing.T) {
	tests := map[string]struct {
		text  string
		limit int
		want  string
	}{
		"fits":             {"abc", 3, "abc"},
		"cut":              {strings.Repeat("a", 50), 40, strings.Repeat("a", 17) + "... (33 bytes left out)"},
		"at a rune":        {strings.Repeat("é", 30), 41, strings.Repeat("é", 9) + "... (42 bytes left out)"},
		"no UTF-8":         {"a\xffb", 10, "a\uFFFDb"},
		"nothing fits":     {"abcdefghijklmnop", 3, ""},
		"a limit of zero":  {"a", 0, ""},
		"nothing is fine":  {"", 0, ""},
		"exactly a letter": {"é", 2, "é"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			same(t, "message", tt.want, CutMessage(tt.text, tt.limit))
		})
	}
}

// at is an input whose condition changed at a second.
func at(in Input, second int64) Input {
	in.Condition.LastTransitionTime = metav1.Unix(second, 0)
	return in
}
