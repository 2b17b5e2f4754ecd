// SPDX-License-Identifier: Apache-2.0

package score

import (
	"slices"
	"time"

	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/verdict"
)

// Expectations are the asserted words, in the order of the matrix.
var Expectations = []string{"Healthy", "Progressing", "Degraded", "Suspended", "Unknown", "Missing"}

// A Miss is a row with another verdict than the asserted one.
type Miss struct {
	Row     Row
	Verdict verdict.Verdict
}

// Report holds the right and wrong answers of an engine.
type Report struct {
	Name string
	Rows int
	// Right counts the rows with the asserted verdict, ByGroup the same by API group.
	Right   int
	ByGroup map[string]Share
	// Matrix counts by asserted word and verdict.
	Matrix map[string]map[verdict.Status]int
	// Rules counts by deciding rule: right and all.
	Rules  map[string]Share
	Misses []Miss
}

// Share is a part of a whole.
type Share struct{ Right, All int }

// Percent returns the share in percent; of nothing it is 0.
func (s Share) Percent() float64 {
	if s.All == 0 {
		return 0
	}
	return 100 * float64(s.Right) / float64(s.All)
}

// Accepts reports whether a verdict is right for an asserted word. Deleting: the object has a deletion timestamp.
func Accepts(expected string, got verdict.Status, deleting bool) bool {
	if deleting && got == verdict.Terminating {
		return true
	}
	switch expected {
	case "Healthy":
		return got == verdict.Current
	case "Progressing":
		return got == verdict.InProgress
	case "Degraded":
		return got == verdict.Failed || got == verdict.Degraded
	case "Suspended":
		return got == verdict.Suspended || got == verdict.Current
	case "Unknown":
		return got == verdict.Unknown
	case "Missing":
		return got == verdict.NotFound
	}
	return false
}

// right reports whether a verdict is right for the row.
func (r *Row) right(got verdict.Status) bool {
	if len(r.Verdicts) > 0 {
		return slices.Contains(r.Verdicts, got)
	}
	return Accepts(r.Expected, got, nested.At(r.Object, "metadata", "deletionTimestamp") != nil)
}

// A Judge is an engine that is held to rows: one of verdict, or kstatus.
type Judge interface {
	Judge(object map[string]any, now time.Time) verdict.Verdict
}

// Run judges the rows.
func Run(name string, e Judge, rows []Row, now time.Time) *Report {
	r := &Report{
		Name: name, Rows: len(rows), ByGroup: map[string]Share{},
		Matrix: map[string]map[verdict.Status]int{}, Rules: map[string]Share{},
	}
	for _, row := range rows {
		v := e.Judge(row.Object, now)
		if r.Matrix[row.Expected] == nil {
			r.Matrix[row.Expected] = map[verdict.Status]int{}
		}
		r.Matrix[row.Expected][v.Status]++
		ok := row.right(v.Status)
		r.ByGroup[row.Group] = add(r.ByGroup[row.Group], ok)
		r.Rules[v.Rule] = add(r.Rules[v.Rule], ok)
		if ok {
			r.Right++
		} else {
			r.Misses = append(r.Misses, Miss{row, v})
		}
	}
	return r
}

func add(s Share, ok bool) Share {
	s.All++
	if ok {
		s.Right++
	}
	return s
}

// Exact returns the share of rows with the asserted verdict, in percent.
func (r *Report) Exact() float64 { return Share{r.Right, r.Rows}.Percent() }

// GroupMean returns the mean of that share over API groups.
func (r *Report) GroupMean() float64 {
	if len(r.ByGroup) == 0 {
		return 0
	}
	sum := 0.0
	for _, s := range r.ByGroup {
		sum += s.Percent()
	}
	return sum / float64(len(r.ByGroup))
}

// FalseGreen returns the share of rows asserted as Degraded with the verdict Current.
func (r *Report) FalseGreen() Share {
	return Share{r.Matrix["Degraded"][verdict.Current], r.expected("Degraded")}
}

// DegradedRecall returns the share of rows asserted as Degraded with the verdict Failed or Degraded.
func (r *Report) DegradedRecall() Share {
	m := r.Matrix["Degraded"]
	return Share{m[verdict.Failed] + m[verdict.Degraded], r.expected("Degraded")}
}

func (r *Report) expected(word string) int {
	n := 0
	for _, c := range r.Matrix[word] {
		n += c
	}
	return n
}
