// SPDX-License-Identifier: Apache-2.0

package conditionstest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tristate/tristate/conditions"
)

// Coverage counts which declared cells were written in a test run. It may be used by many tests at a time. Make one for the
// test binary, give it each commit with [Coverage.Commit], and look at the report at the end of TestMain:
//
//	var coverage = &conditionstest.Coverage{Kinds: []*conditions.Kind{toolpolicy.Kind}}
//
//	func TestMain(m *testing.M) {
//		code := m.Run()
//		fmt.Print(coverage.Report())
//		os.Exit(code)
//	}
type Coverage struct {
	Kinds []*conditions.Kind

	mu   sync.Mutex
	seen map[Cell]int
}

// Cell is one declared (kind, type, status, reason).
type Cell struct {
	Group  string            `json:"group,omitempty"`
	Kind   string            `json:"kind"`
	Type   string            `json:"type"`
	Status conditions.Status `json:"status"`
	Reason string            `json:"reason"`
}

// String is "Kind.group Type=Status Reason".
func (c Cell) String() string {
	kind := strings.TrimRight(c.Kind+"."+c.Group, ".")
	return strings.TrimRight(fmt.Sprintf("%s %s=%s %s", kind, c.Type, c.Status, c.Reason), " ")
}

// Commit is [Commit], and counts what the pass wrote for an object of the kind.
func (c *Coverage) Commit(t testing.TB, kind *conditions.Kind, pass Pass) conditions.Result {
	t.Helper()
	result := Commit(t, pass)
	c.Observe(kind, result.Owned())
	return result
}

// Observe counts the conditions of an object of the kind.
func (c *Coverage) Observe(kind *conditions.Kind, list []conditions.Condition) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = map[Cell]int{}
	}
	for _, one := range list {
		c.seen[Cell{kind.Group, kind.Kind, one.Type, one.Status, one.Reason}]++
	}
}

// Report is the result of a coverage.
type Report struct {
	Declared int    `json:"declared"`
	Reached  int    `json:"reached"`
	Missing  []Cell `json:"missing"` // declared and never written, in declared order
	// Undeclared were written but no kind declares them: reasons that came from other objects, or mistakes.
	Undeclared []Cell `json:"undeclared"`
}

// Report sums up the observations so far. Foreign types are another writer's to test, and cells that presence keeps out of the list are
// never seen: both are left out.
func (c *Coverage) Report() Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := Report{Missing: []Cell{}, Undeclared: []Cell{}}
	declared := map[Cell]bool{}
	for _, kind := range c.Kinds {
		for i := range kind.Types {
			t := &kind.Types[i]
			for _, reason := range t.Reasons {
				cell := Cell{kind.Group, kind.Kind, t.Name, reason.Status, reason.Name}
				if repeated := declared[cell]; repeated || t.Foreign || t.Presence == conditions.PresenceWhenTrue && reason.Status != conditions.True {
					declared[cell] = true
					continue
				}
				declared[cell] = true
				r.Declared++
				if c.seen[cell] > 0 {
					r.Reached++
				} else {
					r.Missing = append(r.Missing, cell)
				}
			}
		}
	}
	for cell := range c.seen {
		if !declared[cell] {
			r.Undeclared = append(r.Undeclared, cell)
		}
	}
	slices.SortFunc(r.Undeclared, func(a, b Cell) int { return strings.Compare(a.String(), b.String()) })
	return r
}

// String is the report for people: one line of counts, then a line a missing cell.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d declared cells written\n", r.Reached, r.Declared)
	for _, cell := range r.Missing {
		fmt.Fprintf(&b, "never written: %s\n", cell)
	}
	for _, cell := range r.Undeclared {
		fmt.Fprintf(&b, "not declared:  %s\n", cell)
	}
	return b.String()
}

// JSON is the report for programs.
func (r Report) JSON() []byte {
	out, err := json.MarshalIndent(r, "", "  ")
	if err != nil { // strings and numbers only
		panic("conditionstest: report cannot be encoded: " + err.Error())
	}
	return append(out, '\n')
}
