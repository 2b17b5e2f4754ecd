// SPDX-License-Identifier: Apache-2.0

package conditionstest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
)

type facts struct {
	Broken  bool
	Pending bool
	Names   []string
	calls   *int
}

func judgeOf(judge func(p *conditions.Pass, f facts), unreached ...string) Judge[facts] {
	return Judge[facts]{Kind: kind, Unreached: unreached, Facts: []facts{{calls: new(int)}, {Broken: true, calls: new(int)},
		{Pending: true, Names: []string{"b", "a", "c"}, calls: new(int)}},
		Judge: func(stored []conditions.Condition, f facts, now time.Time) Pass {
			p := kind.Begin(1, stored, now)
			judge(p, f)
			return p
		}}
}

func right(p *conditions.Pass, f facts) {
	switch {
	case f.Broken:
		p.Report("Ready", conditions.False, "Broken", "")
	case f.Pending:
		p.Report("Ready", conditions.Unknown, "Pending", "")
	default:
		p.Report("Ready", conditions.True, "Fine", "")
	}
	p.Report("Compiled", conditions.True, "Done", strings.Join(slices.Sorted(slices.Values(f.Names)), ","))
}

// TestJudge: a right Judge passes, and each kind of wrong one is found.
func TestJudge(t *testing.T) {
	tests := map[string]struct {
		judge Judge[facts]
		fails string
	}{
		"right":                      {judgeOf(right), ""},
		"a cell that none reaches":   {judgeOf(func(p *conditions.Pass, f facts) { f.Pending = false; right(p, f) }), "Ready=Unknown/Pending"},
		"a cell said not reached is": {judgeOf(right, "Ready=True/Fine"), "Ready=True/Fine"},
		"undeclared": {judgeOf(func(p *conditions.Pass, f facts) { right(p, f); p.Report("Ready", conditions.False, "Odd", "") }),
			"Odd"},
		"a combination of two only": {judgeOf(func(p *conditions.Pass, f facts) {
			if f.Broken && len(f.Names) > 0 {
				p.Report("Ready", conditions.False, "Odd", "")
				return
			}
			right(p, f)
		}), "Odd"},
		"not the same a second time": {judgeOf(func(p *conditions.Pass, f facts) {
			*f.calls++
			f.Broken = *f.calls%2 == 0
			right(p, f)
		}), "judged otherwise a second time"},
		"a message that moves": {judgeOf(func(p *conditions.Pass, f facts) {
			*f.calls++
			right(p, f)
			p.Report("Ready", conditions.True, "Fine", strings.Repeat("x", *f.calls))
		}), "a second pass over the same facts writes again"},
		"the order decides": {judgeOf(func(p *conditions.Pass, f facts) {
			f.Broken = f.Broken || len(f.Names) > 0 && f.Names[0] == "a"
			right(p, f)
		}), "lists in another order"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := &recorder{TB: t}
			tt.judge.Check(r)
			switch all := strings.Join(r.failures, "\n"); {
			case tt.fails == "" && all != "":
				t.Error(all)
			case !strings.Contains(all, tt.fails):
				t.Errorf("failures %q, want one with %q", all, tt.fails)
			}
		})
	}
	ordered := judgeOf(func(p *conditions.Pass, f facts) {
		f.Pending = f.Pending || len(f.Names) > 0 && f.Names[0] == "a"
		right(p, f)
	})
	ordered.Ordered = []string{"Names"}
	ordered.Check(t)
}

func FuzzJudge(f *testing.F) { judgeOf(right).Fuzz(f) }

func TestGolden(t *testing.T) {
	file := t.TempDir() + "/cells"
	results := map[string]conditions.Result{}
	for name, f := range map[string]facts{"fine": {}, "broken": {Broken: true}} {
		p := kind.Begin(1, nil, start)
		right(p, f)
		results[name] = p.Commit()
	}
	t.Setenv("UPDATE", "1")
	Golden(t, file, results)
	t.Setenv("UPDATE", "")
	Golden(t, file, results)
	delete(results, "fine")
	r := &recorder{TB: t}
	if Golden(r, file, results); len(r.failures) != 1 || !strings.Contains(r.failures[0], "fine") {
		t.Errorf("failures: %v", r.failures)
	}
}
