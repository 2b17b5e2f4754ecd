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
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Missing holds the errors of reading for an answer.
type Missing struct {
	Failed   []*cluster.Error // the targets that could not be read
	Unread   []*cluster.Error // of the objects below the targets
	Overview bool             // the answer is about everything that may be read
	Named    int              // how many of Unread are part of the answer itself
	Problems []render.Problem // of one of several clusters, for machines
}

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

func problemOf(err *cluster.Error) render.Problem {
	return render.Problem{Reason: string(err.Reason()), Resource: err.Resource, Namespace: err.Namespace, Name: err.Name, Message: err.Error()}
}

// ProblemsIn returns the problems of one of several clusters, with its name. err is the error that ended its command, if any.
func ProblemsIn(name string, known []render.Problem, err error) []render.Problem {
	if unread, ok := errors.AsType[*cluster.Error](err); ok && len(known) == 0 {
		known = []render.Problem{problemOf(unread)}
	} else if err != nil && len(known) == 0 && err.Error() != "" {
		known = []render.Problem{{Reason: string(cluster.Invalid), Message: err.Error()}}
	}
	for i := range known {
		known[i].Context = name
	}
	return known
}

// AllProblems returns the errors of reading, for machines.
func (v *View) AllProblems() []render.Problem {
	var out []render.Problem
	for _, err := range slices.Concat(v.Failed, v.Unread) {
		out = append(out, problemOf(err))
	}
	if v.collect || len(v.Contexts) > 1 {
		out = append(out, v.Problems...)
	}
	for _, e := range v.expensive() {
		out = append(out, render.Problem{Reason: "TooExpensive", Resource: e.GroupKind.String(), Name: e.Relation, Message: expensiveText(e)})
	}
	for _, err := range v.App.Unread {
		out = append(out, render.Problem{Reason: "Unreadable", File: err.File, Line: err.Line, Message: err.Err.Error()})
	}
	return out
}

// Unseen returns a function that reports whether an object is of a type of the cluster that could not be read, or only in part.
func (v *View) Unseen() func(render.Item) bool {
	failed := slices.Concat(v.Failed, v.Unread)
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

// expensive returns the relations that could not be followed because of the cost of their expressions.
func (v *View) expensive() []relation.Expensive {
	if v.Walk == nil || v.Walk.Graph == nil || v.Live != nil {
		return nil
	}
	return v.Walk.Graph.Expensive()
}

func expensiveText(e relation.Expensive) string {
	return fmt.Sprintf("relation %s of %s was not followed everywhere: %v", e.Relation, e.GroupKind, e.Err)
}

// Ended is [View.End] of a command that has shown roots.
func (v *View) Ended(roots []*relation.Node) error {
	return v.End(v.ExitCode && slices.ContainsFunc(roots, v.Unhealthy))
}

// Unhealthy reports whether a root is a finding for --exit-code, or for --strict.
func (v *View) Unhealthy(n *relation.Node) bool {
	return !n.Judgement.Fine() || n.Judgement.Below != "" || v.Strict && len(n.Judgement.Contradictions) > 0 ||
		len(relation.Contradictions(n)) > 0
}

// End reports the errors of reading on standard error, and returns the exit code of a command: the worst code of the errors, or with
// --exit-code that of an unhealthy root.
func (v *View) End(unhealthy bool) error {
	if v.Live == nil {
		v.ReportDecided(v.App)
	}
	failed, unread := v.Failed, v.Unread
	unnamed := unread[v.Named:]
	v.Failed, v.Unread, v.Named = nil, nil, 0 // with --watch the next answer has errors of its own
	for _, err := range failed {
		v.App.Reportf("%s", err)
	}
	if summary := cluster.Summary(unnamed); summary != "" {
		v.App.Reportf("the answer is incomplete: these could not be read: %s", summary)
	}
	if v.Overview && !v.Strict { // what a person may not list does not fail an answer about everything
		unread = slices.DeleteFunc(slices.Clone(unread), func(err *cluster.Error) bool { return err.Reason() == cluster.Forbidden })
	}
	code := exit.OfAll(slices.Concat(failed, unread))
	for _, e := range v.expensive() {
		v.App.Reportf("the answer is incomplete: %s", expensiveText(e))
		code = exit.Worst(code, exit.Unknown)
	}
	if v.ExitCode && unhealthy {
		code = exit.Worst(code, exit.Findings)
	}
	unreadable := v.App.Unreadable()
	if code = exit.Worst(code, exit.Of(unreadable)); code == exit.OK {
		return nil
	}
	return exit.With(code, unreadable)
}

// Nothing returns the error of a command that has nothing to show, for empty input is no success: files without objects, a namespace that
// does not exist, or, with --exit-code, no object to judge. It is nil if another error explains it.
func (v *View) Nothing(ctx context.Context, targets []cluster.Query) error {
	if len(v.Failed) > 0 || len(v.Unread) > 0 || len(v.App.Unread) > 0 || v.Live != nil {
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
