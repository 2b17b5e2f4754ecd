// SPDX-License-Identifier: Apache-2.0

package partial

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/input"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Outcome is how far an answer can be relied on.
type Outcome string

// The outcomes.
const (
	Complete   Outcome = "complete"
	Incomplete Outcome = "incomplete"
	Unknown    Outcome = "unknown"
)

// Need is how an answer needs something.
type Need int

// The needs, the strongest first.
const (
	// Asked is an object or a type that was asked for by name.
	Asked Need = iota
	// Part is something that the answer is made of: what is below an object in a tree, or the children that count in a verdict.
	Part
	// Reason can only explain an unhealthy object: the answer depends on it where nothing else explains that object.
	Reason
	// Extra changes no answer.
	Extra
)

// gap is something that could not be read.
type gap struct {
	need  Need
	err   error // *cluster.Error, *input.Error or TooExpensive
	named bool  // the text of the answer names it
}

// TooExpensive is the error of a relation that was not followed everywhere.
type TooExpensive struct{ relation.Expensive }

// Error names the relation and its kind.
func (e TooExpensive) Error() string {
	return fmt.Sprintf("relation %s of %s was not followed everywhere: %v", e.Relation, e.GroupKind, e.Err)
}

// Reading collects the errors of one answer. With the zero value everything was read.
type Reading struct {
	// Strict makes the answer depend on everything.
	Strict bool
	// Unexplained reports that an unhealthy object of the answer has no cause: then the answer depends on everything that might explain it.
	Unexplained bool

	gaps    []gap
	nothing bool
}

// Add adds errors of requests.
func (r *Reading) Add(need Need, errs ...*cluster.Error) {
	for _, err := range errs {
		r.add(need, err)
	}
}

// Below adds errors about objects below the roots of an answer.
func (r *Reading) Below(errs ...*cluster.Error) {
	for _, err := range errs {
		need := Part
		if err.Aside {
			need = Reason
		}
		r.add(need, err)
	}
}

// Types adds the errors of an answer about everything in a cluster or a namespace. Such an answer leaves out types that may not be listed
// and groups whose server does not answer. If nothing was seen at all, it depends on all of them.
func (r *Reading) Types(seen bool, errs ...*cluster.Error) {
	r.nothing = r.nothing || !seen && len(errs) > 0
	for _, err := range errs {
		switch {
		case err.Reason() == cluster.Unreachable && err.Verb != cluster.Find:
			r.add(Asked, err)
		case seen && (err.Verb == cluster.Find || err.Reason() == cluster.Forbidden):
			r.add(Extra, err)
		default:
			r.add(Part, err)
		}
	}
}

// Documents adds the errors of documents that could not be read.
func (r *Reading) Documents(errs ...*input.Error) {
	for _, err := range errs {
		r.add(Asked, err)
	}
}

// Own separates the reading from another one that it was copied from.
func (r *Reading) Own() { r.gaps = slices.Clone(r.gaps) }

// Costs adds the relations that were too expensive to follow.
func (r *Reading) Costs(costs ...relation.Expensive) {
	for _, e := range costs {
		r.add(Part, TooExpensive{e})
	}
}

func (r *Reading) add(need Need, err error) { r.gaps = append(r.gaps, gap{need: need, err: err}) }

// Explain finds out whether something explains each root that is unhealthy: an object below it with a status that a rule knows, or the
// containers of a pod. It is for answers that look for causes, after everything below the roots was read.
func (r *Reading) Explain(roots ...*relation.Node) {
	if !slices.ContainsFunc(r.gaps, func(g gap) bool { return g.need == Reason }) {
		return // nothing depends on it
	}
	for _, root := range roots {
		r.Unexplained = r.Unexplained || slices.ContainsFunc(relation.Causes(root), func(c relation.Cause) bool {
			return relation.Silent(c.Node) || len(c.Chain) == 1 && c.Node.GroupKind != podKind
		})
	}
}

var podKind = schema.GroupKind{Kind: "Pod"}

// Drop removes the errors of requests for which a function is true.
func (r *Reading) Drop(drop func(*cluster.Error) bool) {
	r.gaps = slices.DeleteFunc(r.gaps, func(g gap) bool {
		err, ok := errors.AsType[*cluster.Error](g.err)
		return ok && drop(err)
	})
}

// Named marks everything of [Reading.Summary] as named in the text of the answer.
func (r *Reading) Named() {
	for i := range r.gaps {
		r.gaps[i].named = r.gaps[i].need != Asked
	}
}

// decides reports whether the answer depends on a gap.
func (r *Reading) decides(g gap) bool {
	return r.Strict || g.need <= Part || g.need == Reason && r.Unexplained
}

// Outcome returns how far the answer can be relied on. An object or a type that does not exist is an answer.
func (r *Reading) Outcome() Outcome {
	out := Complete
	for _, g := range r.gaps {
		switch {
		case reasonOf(g.err) == string(cluster.NotFound):
		case r.decides(g):
			return Unknown
		default:
			out = Incomplete
		}
	}
	return out
}

// Any reports whether anything could not be read.
func (r *Reading) Any() bool { return len(r.gaps) > 0 }

// Decisive returns the errors that the answer depends on.
func (r *Reading) Decisive() []error {
	var out []error
	for _, g := range r.gaps {
		if r.decides(g) {
			out = append(out, g.err)
		}
	}
	return out
}

// Requests returns the errors of requests.
func (r *Reading) Requests() []*cluster.Error { return r.requests(func(gap) bool { return true }) }

func (r *Reading) requests(which func(gap) bool) []*cluster.Error {
	var out []*cluster.Error
	for _, g := range r.gaps {
		if err, ok := errors.AsType[*cluster.Error](g.err); ok && which(g) {
			out = append(out, err)
		}
	}
	return out
}

// Summary returns one line with everything that could not be read and was not asked for by name. It is empty if there is nothing.
func (r *Reading) Summary() string {
	return cluster.Summary(r.requests(func(g gap) bool { return g.need != Asked }))
}

// Lines returns lines for people about everything that could not be read: each object and type that was asked for, then everything else
// that the answer depends on, then the rest. Documents, which have been reported, and errors that the answer's text names are left out.
func (r *Reading) Lines() []string {
	var out []string
	for _, g := range r.gaps {
		if err, ok := errors.AsType[*cluster.Error](g.err); ok && g.need == Asked && !g.named {
			out = append(out, err.Error())
		}
	}
	head := "the answer is incomplete: these could not be read: "
	if r.nothing {
		head = "nothing could be read: "
	}
	if text := cluster.Summary(r.requests(func(g gap) bool { return g.need != Asked && r.decides(g) && !g.named })); text != "" {
		out = append(out, head+text)
	}
	for _, g := range r.gaps {
		if err, ok := errors.AsType[TooExpensive](g.err); ok {
			out = append(out, "the answer is incomplete: "+err.Error())
		}
	}
	if text := cluster.Summary(r.requests(func(g gap) bool { return !r.decides(g) && !g.named })); text != "" {
		out = append(out, "the answer does not depend on these, which could not be read: "+text)
	}
	return out
}

// Problems returns everything that could not be read, for machines.
func (r *Reading) Problems() []render.Problem {
	var out []render.Problem
	for _, g := range r.gaps {
		p := ProblemOf(g.err)
		p.Decisive = r.decides(g) && p.Reason != string(cluster.NotFound) // what does not exist is an answer
		out = append(out, p)
	}
	return out
}

// ProblemOf returns an error for machines. One of no known type is about the input of the user.
func ProblemOf(err error) render.Problem {
	p := render.Problem{Reason: reasonOf(err), Message: err.Error(), Decisive: true}
	if e, ok := errors.AsType[*cluster.Error](err); ok {
		p.Resource, p.Namespace, p.Name = e.Resource, e.Namespace, e.Name
	} else if e, ok := errors.AsType[*input.Error](err); ok {
		p.File, p.Line, p.Message = e.File, e.Line, e.Err.Error()
	} else if e, ok := errors.AsType[TooExpensive](err); ok {
		p.Resource, p.Name = e.GroupKind.String(), e.Relation
	}
	return p
}

func reasonOf(err error) string {
	if e, ok := errors.AsType[*cluster.Error](err); ok {
		return string(e.Reason())
	} else if _, ok := errors.AsType[*input.Error](err); ok {
		return "Unreadable"
	} else if _, ok := errors.AsType[TooExpensive](err); ok {
		return "TooExpensive"
	}
	return string(cluster.Invalid)
}
