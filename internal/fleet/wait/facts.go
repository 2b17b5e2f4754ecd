// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"errors"
	"hash/fnv"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
)

// Test holds the expressions that a wait evaluates on every object.
type Test struct {
	// For must all hold at once for an object to be met; any of Fail makes it failed.
	For, Fail []Expression
	// FailedFor is how long a failure must last. Negative is [GuessGrace] for a verdict that rests on conventions and words and for a cause,
	// and no time for a verdict that rests on knowledge of the kind and for any other expression.
	FailedFor time.Duration
	// Sure makes an object whose verdict is in doubt never met.
	Sure bool
	// Progress makes Facts compute [Facts.Progress].
	Progress bool
}

// Failures returns the expressions that make an object failed where none are given.
func Failures() []string { return []string{"failed", "deadline", "cause"} }

// stalled returns true if a verdict rests on condition Stalled. It is no terminal state by the conventions of kpt: the controller goes on
// trying.
func stalled(j *relation.Judgement) bool {
	return j.Type == conditions.TypeStalled && j.Status == conditions.True
}

// deadlinePassed reports whether a verdict rests on a deadline of its own that the object reports as passed, such as the
// progressDeadlineSeconds of a Deployment: it will not go on by itself, whatever still serves.
func deadlinePassed(j *relation.Judgement) bool {
	return j.Verdict.Broken() && (j.Reason == "ProgressDeadlineExceeded" || j.Reason == "DeadlineExceeded")
}

// GuessGrace is how long a failure found by conventions and words must last before it counts, by default: the controller may
// try again.
const GuessGrace = 30 * time.Second

// Facts evaluates the expressions on one object. next is when time alone may change the result; an expression that cannot be
// evaluated is an error and counts as not holding.
func (t Test) Facts(s Subject) (f Facts, next time.Time, err error) {
	var errs []error
	holds := func(e Expression) bool {
		ok, at, err := e.Holds(s)
		next = relation.Earliest(next, at)
		if err != nil {
			errs = append(errs, err)
		}
		return ok
	}
	f = Facts{Met: !t.Sure || s.Judgement.Confidence() == verdict.Sure, Missing: s.Content == nil}
	for _, e := range t.For {
		if !holds(e) {
			f.Met = false
		}
	}
	for _, e := range t.Fail {
		if s.Content == nil && !s.Existed || !holds(e) {
			continue
		}
		if grace := t.grace(e, s); !f.Failed || grace < f.Grace {
			f.Grace = grace
		}
		f.Failed = true
	}
	if s.Content != nil {
		f.Unknown = s.Judgement.Verdict == verdict.Unknown
		if metadata, ok := s.Content["metadata"].(map[string]any); ok {
			f.Generation, _ = metadata["generation"].(int64)
		}
		if t.Progress {
			f.Progress = Fingerprint(s.Content)
		}
	}
	return f, next, errors.Join(errs...)
}

// Judges reports whether an expression reads the verdict, in which the children that count take part.
func (t Test) Judges() bool {
	return slices.ContainsFunc(slices.Concat(t.For, t.Fail), func(e Expression) bool {
		return len(e.verdicts) > 0 || e.ready || e.overdue || e.program != nil
	})
}

// Lacks returns what an object does not have that is waited for: a condition, with those that it has, or a path; empty if it has all.
func (t Test) Lacks(s Subject) string {
	if s.Content == nil {
		return ""
	}
	for _, e := range t.For {
		switch {
		case e.kind != "":
			var names []string
			list := nested.Maps(s.Content, "status", "conditions")
			if s.Kind != nil {
				list = nested.Maps(s.Kind.List(s.Content))
			}
			for _, c := range list {
				name := nested.Text(c, "type")
				if strings.EqualFold(name, e.kind) || s.Kind != nil && strings.EqualFold(s.Kind.Canonical(name), e.kind) {
					names = nil
					break
				}
				names = append(names, name)
			}
			if len(names) > 0 {
				return "it has no condition " + e.kind + ", but " + strings.Join(names, ", ")
			}
		case e.path != "" && e.value != "":
			any := Expression{path: e.path}
			if there, err := any.atPath(s.Content); err == nil && !there {
				return "it has no " + e.path
			}
		}
	}
	return ""
}

// ReadsCauses reports whether an expression reads the causes below an object.
func (t Test) ReadsCauses() bool {
	return slices.ContainsFunc(t.Fail, func(e Expression) bool { return e.cause })
}

// ReadsData reports whether an expression may read any field of an object, rather than its status and metadata only.
func (t Test) ReadsData() bool {
	return slices.ContainsFunc(slices.Concat(t.For, t.Fail), func(e Expression) bool { return e.path != "" || e.program != nil })
}

// grace returns how long the failure of an expression must last.
func (t Test) grace(e Expression, s Subject) time.Duration {
	if t.FailedFor >= 0 {
		return t.FailedFor
	}
	if e.cause || e.final && s.Judgement.Type == "ReplicaFailure" { // a pod that is refused now may be admitted when others have gone
		return GuessGrace
	}
	if e.verdicts == nil && !e.deadline || s.Content == nil || verdict.Declared(s.Judgement.Rule) ||
		verdict.Builtin(s.Judgement.Rule) {
		return 0
	}
	return GuessGrace
}

// Fingerprint returns a number that changes when an object's generation, deletion, finalizers or status change. Times in the status do
// not count, so that heartbeats are no progress.
func Fingerprint(content map[string]any) uint64 {
	h := fnv.New64a()
	metadata, _ := content["metadata"].(map[string]any)
	for _, key := range []string{"uid", "generation", "finalizers"} {
		hash(h, metadata[key])
	}
	if metadata["deletionTimestamp"] != nil {
		hash(h, "deleting")
	}
	hash(h, content["status"])
	return h.Sum64()
}

func hash(w io.Writer, v any) {
	put := func(s string) { _, _ = io.WriteString(w, s+"\x00") } // a hash takes anything
	switch v := v.(type) {
	case map[string]any:
		put("{")
		for _, key := range slices.Sorted(maps.Keys(v)) {
			put(key)
			hash(w, v[key])
		}
		put("}")
	case []any:
		put("[")
		for _, item := range v {
			hash(w, item)
		}
		put("]")
	case string:
		if !isTime(v) {
			put("s" + v)
		}
	case bool:
		put("b" + strconv.FormatBool(v))
	case int64:
		put("n" + strconv.FormatInt(v, 10))
	case float64:
		put("n" + strconv.FormatFloat(v, 'g', -1, 64))
	case nil:
		put("-")
	}
}

// isTime reports whether a string is a time in RFC 3339. It is cheap for other strings.
func isTime(s string) bool {
	if len(s) < len("2006-01-02T15:04:05Z") || s[4] != '-' || s[7] != '-' || s[10] != 'T' {
		return false
	}
	_, err := time.Parse(time.RFC3339, s)
	return err == nil
}
