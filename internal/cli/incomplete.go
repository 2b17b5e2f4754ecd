// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/cluster"
	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/internal/render"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// notInFiles is the error of a target that files do not hold.
func notInFiles(t target) *cluster.Error {
	return &cluster.Error{Verb: "get", Resource: t.Type, Name: t.Name,
		Err: fmt.Errorf("%s is not in the files%w", strings.TrimSuffix(t.Type+"/"+t.Name, "/"), silent{apierrors.NewNotFound(schema.GroupResource{Resource: t.Type}, t.Name)})}
}

// silent is an error that classifies another one without a text of its own.
type silent struct{ error }

// Error is a method of error.
func (silent) Error() string { return "" }

// Unwrap returns the error.
func (s silent) Unwrap() error { return s.error }

func problemOf(err *cluster.Error) render.Problem {
	return render.Problem{Reason: string(err.Reason()), Resource: err.Resource, Namespace: err.Namespace, Name: err.Name, Message: err.Error()}
}

// problemsIn are what could not be read of one of several clusters, with its name. err is the error that ended its command, if any.
func problemsIn(name string, known []render.Problem, err error) []render.Problem {
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

// problems are what could not be read, for machines.
func (a *App) problems(v *view) []render.Problem {
	var out []render.Problem
	for _, err := range slices.Concat(v.failed, v.unread) {
		out = append(out, problemOf(err))
	}
	if v.collect || len(v.contexts) > 1 {
		out = append(out, v.problems...)
	}
	for _, e := range v.expensive() {
		out = append(out, render.Problem{Reason: "TooExpensive", Resource: e.GroupKind.String(), Name: e.Relation, Message: expensiveText(e)})
	}
	for _, err := range a.unread {
		out = append(out, render.Problem{Reason: "Unreadable", File: err.File, Line: err.Line, Message: err.Err.Error()})
	}
	return out
}

// expensive are the relations that could not be followed because of what their expressions cost.
func (v *view) expensive() []relation.Expensive {
	if v.walk == nil || v.walk.Graph == nil || v.live != nil {
		return nil
	}
	return v.walk.Graph.Expensive()
}

func expensiveText(e relation.Expensive) string {
	return fmt.Sprintf("relation %s of %s was not followed everywhere: %v", e.Relation, e.GroupKind, e.Err)
}

// ended reports on standard error what could not be read, and returns the exit code of a command that has shown roots: that of the worst
// of what is missing, or of an unhealthy root where --exit-code asks for it.
func (a *App) ended(v *view, roots []*relation.Node) error {
	if v.live == nil {
		v.note(a)
	}
	failed, unread := v.failed, v.unread
	tacit := unread[v.shown:]
	v.failed, v.unread, v.shown = nil, nil, 0 // with --watch the next answer has errors of its own
	for _, err := range failed {
		fmt.Fprintf(a.Err, "%s: %s\n", a.Name, err)
	}
	if summary := cluster.Summary(tacit); summary != "" {
		fmt.Fprintf(a.Err, "%s: the answer is incomplete: these could not be read: %s\n", a.Name, summary)
	}
	code := codeOfAll(slices.Concat(failed, unread))
	for _, e := range v.expensive() {
		fmt.Fprintf(a.Err, "%s: the answer is incomplete: %s\n", a.Name, expensiveText(e))
		if worse(ExitUnknown, code) {
			code = ExitUnknown
		}
	}
	if v.exitCode && worse(ExitFindings, code) && slices.ContainsFunc(roots, func(n *relation.Node) bool {
		return !n.Judgement.Fine() || n.Judgement.Doubt != "" || v.strict && len(n.Judgement.Doubts) > 0 || len(relation.Doubts(n)) > 0
	}) {
		code = ExitFindings
	}
	if len(a.unread) > 0 && worse(ExitUnknown, code) {
		code = ExitUnknown
	}
	switch {
	case code == ExitOK:
		return nil
	case len(a.unread) > 0:
		return &exit{code, a.unreadable()}
	}
	return &exit{code, nil}
}

// nothing returns the error of a command that has nothing to show, for empty input is no success: files without objects, a namespace that
// does not exist, or, with --exit-code, no object to judge. It is nil where something else explains it.
func (a *App) nothing(ctx context.Context, v *view, targets []target) error {
	if len(v.failed) > 0 || len(v.unread) > 0 || len(a.unread) > 0 || v.live != nil {
		return nil
	}
	if len(v.files) > 0 {
		return &exit{ExitNotFound, fmt.Errorf("no objects in %s", sourceOf(v.files))}
	}
	if err := v.from.NamespaceExists(ctx); err != nil {
		return err
	}
	words := make([]string, len(targets))
	for i, t := range targets {
		words[i] = t.Type
	}
	if isOverview(targets) {
		words = []string{"objects with a status"}
	}
	where := "any namespace"
	if v.from.Namespace != "" {
		where = "namespace " + v.from.Namespace
	}
	none := fmt.Sprintf("no %s in %s", strings.Join(words, ", "), where)
	if v.exitCode {
		return &exit{ExitNotFound, errors.New(none)}
	}
	fmt.Fprintf(a.Err, "%s: %s\n", a.Name, none)
	return nil
}

// joined is one error of several, a line each.
func joined(errs []*cluster.Error) error {
	out := make([]error, len(errs))
	for i, err := range errs {
		out[i] = err
	}
	return errors.Join(out...)
}
