// SPDX-License-Identifier: Apache-2.0

package answer

import (
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

// Judgement is one judgement of an object. It has no pointer into itself, so that it does not escape to the heap. It is large: a composite
// literal would be built elsewhere and copied.
type Judgement struct {
	Subject
	Now     time.Time
	Answer  Answer
	Serving bool // something reports that the object serves
}

// Complaint is an unhealthy condition that the answer does not rest on, with what a person can do about it if that is declared.
type Complaint struct {
	conditions.Condition
	Remedy string
}

// Subject is the object that is judged, with what is known of its kind.
type Subject struct {
	Types                   *lexicon.TypeCache
	Words                   *lexicon.Lexicon
	Obj, Meta, Spec, Status object.Value
	Group, Version, Kind    string
	Generation              int64 // -1 where unknown
	Expect                  Expectation
}

// Read reads the identity and the parts of an object.
func (s *Subject) Read(obj object.Value) {
	s.Obj = obj
	s.Meta = obj.Get("metadata")
	s.Spec = obj.Get("spec")
	s.Status = obj.Get("status")
	api := obj.TextAt("apiVersion")
	slash := strings.IndexByte(api, '/')
	if s.Version = api[slash+1:]; strings.IndexByte(s.Version, '/') < 0 { // otherwise the group and the kind are not known
		s.Group, s.Kind = api[:max(slash, 0)], obj.TextAt("kind")
	}
	s.Generation = -1
	if n, ok := s.Meta.NumberAt("generation"); ok {
		s.Generation = n
	}
}

// Find returns the condition of a type, the worst of several.
func (s *Subject) Find(typ string, out *object.Condition) bool {
	return object.Find(s.Status.Get("conditions"), typ, out)
}

// FindAll is Find for several types in one pass.
func (s *Subject) FindAll(out []object.Condition, want ...string) {
	object.FindAll(s.Status.Get("conditions"), out, want...)
}

// ProveStatus adds a field of the status to the evidence.
func (j *Judgement) ProveStatus(field string) {
	j.Answer.ProveAt(object.PathStatus, field, "", j.Status.Get(field))
}

// ProveSpec adds a field of the spec to the evidence.
func (j *Judgement) ProveSpec(field string) {
	j.Answer.ProveAt(object.PathSpec, field, "", j.Spec.Get(field))
}

// Complain adds an unhealthy condition.
func (j *Judgement) Complain(c *object.Condition, reason string, m object.Message) *Complaint {
	out := Complaint{Condition: conditions.Condition{Severity: c.Severity()}}
	out.Type, out.Status, out.Reason, out.Message = c.Type, c.Status, reason, m.String()
	out.ObservedGeneration, _ = c.ObservedGeneration()
	out.LastTransitionTime.Time = c.LastTransition()
	j.Answer.Others = append(j.Answer.Others, out)
	return &j.Answer.Others[len(j.Answer.Others)-1]
}

// FailsNow reports whether a condition decides although the status is about an older generation: by it the object is Failed or Degraded,
// and it was itself observed at the current generation. A controller that fails to apply a change reports that in a condition, and often
// records the generation in the status only after the change was applied.
func FailsNow(c *object.Condition, generation int64, by Status) bool {
	if !by.Broken() || generation < 0 {
		return false
	}
	seen, ok := c.ObservedGeneration()
	return ok && seen == generation
}

// Expectation has the promises of a definition about the objects of its kind. The zero value is a kind whose definition was not seen.
type Expectation struct {
	Known              bool // the definition was seen
	Status             bool // objects have a status
	Conditions         bool // the status has a list of conditions
	Phase              bool // the status has a phase or a state
	ObservedGeneration bool // the status has an observedGeneration
}

// Reports reports whether objects of the kind report something by which they can be judged.
func (x Expectation) Reports() bool { return x.Conditions || x.Phase || x.ObservedGeneration }

// Static reports whether objects of the kind have no status to wait for.
func (x Expectation) Static() bool { return x.Known && !x.Status }
