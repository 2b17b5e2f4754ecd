// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/explain"
	"github.com/tristate/tristate/internal/cli/flags"
	"github.com/tristate/tristate/internal/cli/history"
	"github.com/tristate/tristate/internal/cli/status"
	"github.com/tristate/tristate/internal/cli/view"
	"github.com/tristate/tristate/internal/cli/wait"
	"github.com/tristate/tristate/internal/cli/why"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// where chooses namespaces.
type where struct {
	Namespace     string `json:"namespace,omitempty" jsonschema:"namespace; without one that of the server"`
	AllNamespaces bool   `json:"all_namespaces,omitempty" jsonschema:"every namespace"`
}

// paged chooses some of many parts.
type paged struct {
	Limit  int `json:"limit,omitempty" jsonschema:"how many to show, at most 100; fewer are shown if they are long"`
	Cursor int `json:"cursor,omitempty" jsonschema:"how many to skip: the cursor of the answer before"`
}

type problemsInput struct {
	where
	paged
}

// problems ranks the causes of everything.
func (s *server) problems(ctx context.Context, a *app.App, in problemsInput) (answer, error) {
	v, err := s.view(a, in.where, true)
	if err != nil {
		return answer{}, err
	}
	roots, err := why.Read(ctx, v, nil)
	if err != nil {
		return answer{notes: unread(v)}, err
	}
	causes := v.Walk.Ranked(roots)
	some, cursor := page(causes, in.paged, 10)
	e, how := why.Explanation(ctx, v), a.RenderOptions()
	out := answer{unit: "causes", head: render.Headline(causes, e) + "\n", cursor: cursor, total: len(causes), notes: unread(v)}
	for i, c := range some {
		out.parts = append(out.parts, render.BriefCause(cursor+i+1, c, e, how))
	}
	return out, nil
}

type objectInput struct {
	where
	Object string `json:"object" jsonschema:"TYPE/NAME, such as deployment/web or clusters.cluster.x-k8s.io/prod"`
}

// why explains one object.
func (s *server) why(ctx context.Context, a *app.App, in objectInput) (answer, error) {
	v, roots, err := s.read(ctx, a, in)
	if err != nil || len(roots) == 0 {
		return none(v), err
	}
	e := why.Explanation(ctx, v)
	_, each := why.Causes(v, roots, []cluster.Query{{}})
	e.Explain(roots[0], each[0])
	var b bytes.Buffer
	if err := render.Why(&b, e, a.RenderOptions()); err != nil {
		return answer{}, err
	}
	// A cause is a paragraph; the first says how it leads to the object.
	head, causes, _ := strings.Cut(b.String(), "\n\n")
	out := answer{unit: "causes", head: head + "\n", total: max(len(e.Causes), len(e.Doubts)), notes: unread(v)}
	for c := range strings.SplitSeq(strings.TrimRight(causes, "\n"), "\n\n") {
		if c != "" && !strings.HasPrefix(c, "and ") {
			out.parts = append(out.parts, c+"\n")
		}
	}
	return out, nil
}

// read reads the hierarchy below one object.
func (s *server) read(ctx context.Context, a *app.App, in objectInput) (*view.View, []*relation.Node, error) {
	v, err := s.view(a, in.where, true)
	if err != nil {
		return v, nil, err
	}
	targets, err := flags.ParseTargets([]string{in.Object})
	if err != nil {
		return v, nil, err
	}
	if len(targets) != 1 || targets[0].Name == "" {
		return v, nil, fmt.Errorf("object %q: write TYPE/NAME", in.Object)
	}
	roots, err := why.Read(ctx, v, targets)
	if err == nil && slices.ContainsFunc(roots, func(n *relation.Node) bool { return n.GroupKind == secretKind }) {
		return v, nil, errNoSecrets
	}
	return v, roots, err
}

var (
	secretKind   = schema.GroupKind{Kind: "Secret"}
	errNoSecrets = errors.New("secrets are not shown")
)

// none is the answer where nothing could be read.
func none(v *view.View) answer {
	if v == nil {
		return answer{}
	}
	return answer{notes: unread(v)}
}

type treeInput struct {
	objectInput
	paged
}

// tree shows a hierarchy: its lines are the parts, the cause is shown in any case.
func (s *server) tree(ctx context.Context, a *app.App, in treeInput) (answer, error) {
	v, roots, err := s.read(ctx, a, in.objectInput)
	if err != nil || len(roots) == 0 {
		return none(v), err
	}
	var all, because bytes.Buffer
	o := a.RenderOptions()
	if err := errors.Join(render.Tree(&all, roots[0], o), render.Because(&because, roots[0], o)); err != nil {
		return answer{}, err
	}
	lines := slices.Collect(strings.Lines(strings.TrimSuffix(all.String(), because.String())))
	some, cursor := page(lines[1:], in.paged, 60)
	return answer{unit: "lines", head: lines[0], parts: some, tail: because.String(), cursor: cursor, total: len(lines) - 1, notes: unread(v)},
		nil
}

type statusInput struct {
	where
	paged
	Objects  []string `json:"objects,omitempty" jsonschema:"TYPE or TYPE/NAME; without any everything with a status"`
	Verdicts []string `json:"verdicts,omitempty" jsonschema:"show only these: Current, InProgress, Degraded, Failed, Suspended, Terminating, NotFound, Unknown"`
}

// status judges objects, the worst first.
func (s *server) status(ctx context.Context, a *app.App, in statusInput) (answer, error) {
	v, err := s.view(a, in.where, false)
	if err != nil {
		return answer{}, err
	}
	targets, err := flags.ParseTargets(in.Objects)
	if err != nil {
		return answer{}, err
	}
	for i, word := range in.Verdicts {
		known, err := verdict.ParseStatus(word)
		if err != nil {
			return answer{}, err
		}
		in.Verdicts[i] = string(known)
	}
	nodes, err := status.Read(ctx, v, targets)
	if err != nil {
		return answer{notes: unread(v)}, err
	}
	secret := func(n *relation.Node) bool { return n.GroupKind == secretKind }
	if len(in.Objects) > 0 && len(nodes) > 0 && !slices.ContainsFunc(nodes, func(n *relation.Node) bool { return !secret(n) }) {
		return answer{}, errNoSecrets
	}
	nodes = slices.DeleteFunc(nodes, secret)
	head := render.Totals(slices.Values(nodes)) + "\n"
	nodes = slices.DeleteFunc(nodes, func(n *relation.Node) bool {
		return len(in.Verdicts) > 0 && !slices.Contains(in.Verdicts, string(n.Judgement.Verdict))
	})
	status.ProblemsFirst(nodes)
	some, cursor := page(nodes, in.paged, 40)
	var b bytes.Buffer
	o := a.RenderOptions()
	o.NoHeaders, o.OneLine, o.Namespaces = true, true, true
	if err := render.Table(&b, slices.Values(some), o); err != nil {
		return answer{}, err
	}
	return answer{unit: "objects", head: head, parts: slices.Collect(strings.Lines(b.String())), cursor: cursor, total: len(nodes),
		notes: unread(v)}, nil
}

// mostWait is how long a call may wait: programs give up a call after a minute.
const mostWait, usualWait = 50 * time.Second, 30 * time.Second

type waitInput struct {
	where
	Objects []string `json:"objects" jsonschema:"TYPE/NAME, or TYPE for all of a type"`
	For     []string `json:"for,omitempty" jsonschema:"one or more of verdict=WORD, ready, condition=TYPE[=STATUS][:REASON], create or delete; without any verdict=Current"`
	Seconds int      `json:"seconds,omitempty" jsonschema:"how long, 1 to 50; without a number 30"`
}

// wait waits as the command does. Expressions that read any field of an object are refused.
func (s *server) wait(ctx context.Context, a *app.App, in waitInput) (answer, error) {
	for _, text := range in.For {
		if word, _, _ := strings.Cut(text, "="); word == "jsonpath" || word == "cel" {
			return answer{}, fmt.Errorf("for %q: this tool reads no fields; use verdict, ready, condition, create or delete", text)
		}
	}
	if in.Namespace != "" && in.AllNamespaces {
		return answer{}, errors.New("either namespace or all_namespaces")
	}
	timeout := usualWait
	if in.Seconds > 0 {
		timeout = min(time.Duration(in.Seconds)*time.Second, mostWait)
	}
	var b bytes.Buffer
	a.Out = &b
	err := wait.Objects(ctx, a, s.Catalogs, s.connection(in.where), in.Objects, in.For, timeout)
	lines := slices.Collect(strings.Lines(b.String()))
	some := lines[max(0, len(lines)-60):] // the end has the causes
	out := answer{unit: "lines", parts: some, cursor: len(lines) - len(some), total: len(lines)}
	switch exit.Of(err) {
	case exit.OK:
		out.head = "met\n"
	case exit.Failed, exit.Superseded, exit.Timeout, exit.NotFound:
		out.tail, err = render.Line(err.Error())+"\n", nil
	}
	return out, err
}

type historyInput struct {
	objectInput
	paged
	Hours int `json:"hours,omitempty" jsonschema:"how far back, 1 to 720; without a number 24"`
}

// history lists the changes of one object.
func (s *server) history(ctx context.Context, a *app.App, in historyInput) (answer, error) {
	v, err := s.view(a, in.where, false)
	if err != nil {
		return answer{}, err
	}
	if word, _, _ := strings.Cut(strings.ToLower(in.Object), "/"); strings.TrimSuffix(strings.TrimSuffix(word, ".v1."), "s") == "secret" {
		return answer{}, errNoSecrets
	}
	hours := 24
	if in.Hours > 0 {
		hours = min(in.Hours, 720)
	}
	var b bytes.Buffer
	a.Out = &b
	if err := history.Objects(ctx, v, time.Duration(hours)*time.Hour, []string{in.Object}); err != nil {
		return none(v), err
	}
	lines := slices.Collect(strings.Lines(b.String()))
	some, cursor := page(lines, in.paged, 60)
	return answer{unit: "lines", parts: some, cursor: cursor, total: len(lines), notes: unread(v)}, nil
}

type explainInput struct {
	paged
	Word string `json:"word" jsonschema:"KIND, KIND.TYPE, KIND.TYPE.REASON, or a field of the catalog format"`
}

// explain prints what a catalog declares.
func (s *server) explain(_ context.Context, _ *app.App, in explainInput) (answer, error) {
	var b bytes.Buffer
	c := s.Catalogs
	if err := explain.Run(&b, in.Word, func() (*catalog.Set, error) { return c.Load() }); err != nil {
		return answer{}, err
	}
	lines := slices.Collect(strings.Lines(b.String()))
	some, cursor := page(lines, in.paged, 100)
	return answer{unit: "lines", parts: some, cursor: cursor, total: len(lines)}, nil
}
