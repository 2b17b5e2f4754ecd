// SPDX-License-Identifier: Apache-2.0

package view

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/partial"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/verdict"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// notInFiles returns the error of a target that files do not hold.
func notInFiles(t cluster.Query) *cluster.Error {
	return &cluster.Error{Verb: "get", Resource: t.Type, Name: t.Name,
		Err: fmt.Errorf("%s is not in the files%w", strings.TrimSuffix(t.Type+"/"+t.Name, "/"),
			wordless{apierrors.NewNotFound(schema.GroupResource{Resource: t.Type}, t.Name)})}
}

// wordless is an error that classifies another one and adds no text.
type wordless struct{ error }

// Error is a method of error.
func (wordless) Error() string { return "" }

// Unwrap returns the error.
func (w wordless) Unwrap() error { return w.error }

// ProblemsIn returns the problems of one of several clusters, with its name. err is the error that ended its command, if any.
func ProblemsIn(name string, known []render.Problem, err error) []render.Problem {
	if err != nil && len(known) == 0 && err.Error() != "" {
		known = []render.Problem{partial.ProblemOf(err)}
	}
	for i := range known {
		known[i].Context = name
	}
	return known
}

// reading returns what the answer could not read so far, with documents of files and relations that were too expensive.
func (v *View) reading() *partial.Reading {
	r := v.Reading
	r.Strict = v.Strict
	r.Own()
	r.Documents(v.App.Unread...)
	if v.Walk != nil && v.Walk.Graph != nil && v.Live == nil {
		r.Costs(v.Walk.Graph.Expensive()...)
	}
	return &r
}

// AllProblems returns the errors of reading, for machines.
func (v *View) AllProblems() []render.Problem {
	out := v.reading().Problems()
	if v.collect || len(v.Contexts) > 1 {
		out = append(out, v.Problems...)
	}
	return out
}

// Outcome returns how far the answer can be relied on.
func (v *View) Outcome() partial.Outcome { return v.reading().Outcome() }

// ReadingLines returns what a person has to know about what could not be read.
func (v *View) ReadingLines() []string { return v.reading().Lines() }

// Unseen returns a function that reports whether an object is of a type of the cluster that could not be read, or only in part.
func (v *View) Unseen() func(render.Item) bool {
	failed := v.Reading.Requests()
	return func(item render.Item) bool {
		if len(failed) == 0 || v.Cluster == nil {
			return false
		}
		m, err := v.Cluster.Served.RESTMapping(item.Object.GroupKind())
		return err == nil && slices.ContainsFunc(failed, func(e *cluster.Error) bool {
			return e.Resource == m.Resource.GroupResource().String() && (e.Namespace == "" || e.Namespace == item.Object.Namespace)
		})
	}
}

// Ended is [View.End] of a command that has shown roots.
func (v *View) Ended(roots []*relation.Node) error {
	return v.End(v.ExitCode && slices.ContainsFunc(roots, v.Unhealthy))
}

// Unhealthy reports whether a root is a finding for --exit-code, by --doubt and --strict.
func (v *View) Unhealthy(n *relation.Node) bool {
	return !n.Judgement.Fine() || n.Judgement.Below != "" ||
		(v.Strict || v.doubt.Fails()) && n.Judgement.Confidence() == verdict.Doubt || len(relation.Contradictions(n)) > 0
}

// End reports on standard error what could not be read, and returns the exit code of a command: the worst code of the errors that the
// answer depends on or, with --exit-code and an unhealthy root, the code of that.
func (v *View) End(unhealthy bool) error {
	if v.Live == nil {
		v.ReportDecided(v.App)
	}
	r := v.reading()
	v.Reading = partial.Reading{} // with --watch the next answer has errors of its own
	for _, line := range r.Lines() {
		v.App.Reportf("%s", line)
	}
	code := exit.OK
	for _, err := range r.Decisive() {
		if exit.IsUnread(err) {
			code = exit.Worst(code, exit.Of(err))
		} else { // a document, or a relation
			code = exit.Worst(code, exit.Unknown)
		}
	}
	if v.ExitCode && unhealthy {
		code = exit.Worst(code, exit.Findings)
	}
	if code == exit.OK {
		return nil
	}
	return exit.With(code, v.App.Unreadable())
}

// Nothing returns the error of a command that has nothing to show, for empty input is no success: files without objects, a namespace that
// does not exist, or, with --exit-code, no object to judge. It is nil if another error explains it.
func (v *View) Nothing(ctx context.Context, targets []cluster.Query) error {
	if v.reading().Any() || v.Live != nil {
		return nil
	}
	if len(v.Files) > 0 {
		return exit.With(exit.NotFound, fmt.Errorf("no objects in %s", app.SourceOf(v.Files)))
	}
	if err := v.Cluster.NamespaceExists(ctx); err != nil {
		return err
	}
	words := make([]string, len(targets))
	for i, t := range targets {
		words[i] = t.Type
	}
	if IsOverview(targets) {
		words = []string{"objects with a status"}
	}
	where := "any namespace"
	if v.Cluster.Namespace != "" {
		where = "namespace " + v.Cluster.Namespace
	}
	none := fmt.Sprintf("no %s in %s", strings.Join(words, ", "), where)
	if v.ExitCode {
		return exit.With(exit.NotFound, errors.New(none))
	}
	v.App.Reportf("%s", none)
	return nil
}
