// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"sync/atomic"
	"time"

	"github.com/tristate/tristate/verdict/internal/convention"
	"github.com/tristate/tristate/verdict/internal/lexicon"
)

// An Engine judges objects. The zero value is ready to use and knows builtin kinds and conventions; the fields add
// knowledge of other kinds. It is safe for concurrent use once its fields are set, and must not be copied.
type Engine struct {
	// Semantics returns the declaration of a version of a kind by a catalog, or nil.
	Semantics func(group, version, kind string) *Semantics
	// Packs returns the knowledge of a version of a kind beyond its conditions, or nil.
	Packs func(group, version, kind string) Pack
	// Expect returns what the definition of a kind promises; the zero Expectation for an unknown one.
	Expect func(group, kind string) Expectation
	// SchedulingGrace is how long a pod may be unschedulable before it counts as failed: an autoscaler may be about to
	// help. Zero means one minute.
	SchedulingGrace time.Duration
	// ReadAt is when the objects were read, if they are judged as of an earlier time, as a dump is: what happened in between is not in the
	// future. The zero value is the time of the judgement.
	ReadAt time.Time
	// Generic switches the builtin rules off, so that builtin kinds are judged by conventions alone.
	Generic bool

	types       atomic.Pointer[lexicon.TypeCache]
	words       *lexicon.Lexicon // nil: all
	conventions convention.Conventions
}

// A Pack judges the objects of one kind by knowledge declared for it. It reports false if no rule of it
// applies; then the conventions decide.
type Pack interface {
	Judge(object Object, now time.Time) (Verdict, bool)
	// Knows reports whether a rule of the pack reads a condition type, a table of it has the status or the reason, or it lists the type as one
	// that is not about health. within is the member of the status in which the condition is nested, empty for the top level. An answer of
	// Current is kept only if no other condition is unhealthy, and any other answer only if none reports a failure.
	Knows(within, conditionType, status, reason string) bool
	// Reads reports whether a rule of the pack reads a member of a field of the status, or the pack ignores it; an empty member is the field
	// itself. What is not read is judged by conventions: a failure there outranks any answer of the pack that is no failure.
	Reads(field, member string) bool
	// Counts reports whether the pack compares numbers of the status itself. If it does not, an answer of Current is kept only if as many
	// replicas, nodes, instances or members exist as are wanted.
	Counts() bool
	// Budget returns how long an object may be in progress before it is overdue: 0 if the pack does not declare it, negative: for ever.
	Budget() time.Duration
	// Remedy returns what a person can do about a reason, in one sentence in which NAME is the name of the object; empty for an unknown one.
	Remedy(reason string) string
}

// Judge judges a decoded object, as in unstructured.Unstructured.Object. It never panics; the object is not changed.
// Deletion is looked at first, then the pack or catalog of the kind, then the builtin rules, then conventions. A
// healthy object costs a few allocations, for its evidence.
func (e *Engine) Judge(object map[string]any, now time.Time) Verdict {
	var j judgement
	j.run(e, now, object)
	return Verdict(j.Answer.Verdict)
}

// lexicon returns the meanings of words.
func (e *Engine) lexicon() *lexicon.Lexicon {
	if e.words != nil {
		return e.words
	}
	return lexicon.Default
}

// typesOf returns the cache of condition types.
func (e *Engine) typesOf() *lexicon.TypeCache {
	if c := e.types.Load(); c != nil {
		return c
	}
	e.types.CompareAndSwap(nil, &lexicon.TypeCache{Words: e.lexicon()})
	return e.types.Load()
}
