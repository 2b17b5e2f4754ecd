// SPDX-License-Identifier: Apache-2.0

package exportcheck

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/proof/checktest"
)

func TestExamples(t *testing.T) { checktest.Run(t, All, nil) }

// shape prints an expression with everything that is dropped gone.
func shape(q *query) string {
	switch q.op {
	case "selector":
		out := q.name
		for _, m := range q.matchers {
			out += "{" + m.label + m.op + m.value + "}"
		}
		return out
	case "number":
		return "n"
	case "string":
		return "s"
	}
	var args []string
	for _, arg := range q.args {
		args = append(args, shape(arg))
	}
	if q.op == "call" {
		return q.name + "(" + strings.Join(args, ", ") + ")"
	}
	return "(" + strings.Join(args, " "+q.op+" ") + ")"
}

func TestParseQuery(t *testing.T) {
	for text, want := range map[string]string{
		`up`:                                `up`,
		`a{b="c",d=~'e|f',} == 1`:           `(a{b=c}{d=~e|f} == n)`,
		`sum by (x) (rate(a[5m])) > bool 0`: `(sum(rate(a)) > n)`,
		`sum(a) without (x) / on(y) group_left b offset 5m`: `(sum(a) / b)`,
		`a and b or c unless d`:                             `((a and b) or (c unless d))`,
		`a + b * c ^ d == 1`:                                `((a + (b * (c ^ d))) == n)`,
		`-a - 1`:                                            `(-(a) - n)`,
		`a @ 1609746000 offset -1h`:                         `a`,
		`max_over_time(a[1h:5m] @ start())`:                 `max_over_time(a)`,
		`label_replace(a, "x", "$1", "y", "(.*)")`:          `label_replace(a, s, s, s, s)`,
		`{"my.metric", a!~"b"}`:                             `my.metric{a!~b}`,
		"a # comment\n== 0":                                 `(a == n)`,
		`vector(1) == 5m`:                                   `(vector(n) == s)`,
		`(a)`:                                               `a`,
		`a{`:                                                `error`,
		`a{b~"c"}`:                                          `error`,
		`a{b=~"("}`:                                         `error`,
		`a b`:                                               `error`,
		``:                                                  `error`,
		`)`:                                                 `error`,
		strings.Repeat("(", 200) + strings.Repeat(")", 200): `error`,
		strings.Repeat("-", 200) + "1":                      `error`,
		strings.Repeat("a+", maxQuery):                      `error`,
	} {
		q, err := parseQuery(text)
		got := "error"
		if err == nil {
			got = shape(q)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%.60s: -want +got\n%s", text, diff)
		}
	}
}

func FuzzParseQuery(f *testing.F) {
	f.Add(`max by (name) (widget_status_condition{type="Ready", status="true"}) > 0`)
	f.Add(`a[5m:1m] offset -1h @ 12 unless on() {"x", y=~'z'}`)
	f.Fuzz(func(_ *testing.T, text string) {
		if q, err := parseQuery(text); err == nil {
			_ = q.selectors()
		}
	})
}
