// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/cluster"
	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/internal/render"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func (a *App) why() *cobra.Command {
	v := &view{below: true}
	c := &cobra.Command{
		Use:   "why TYPE/NAME",
		Short: "Explain why an object is unhealthy, and what to do next",
		Long: "Fold the hierarchy below an object to the smallest set of objects that explains it: the way to each cause, its equals, the " +
			"field it rests on, the event that adds to it, and what can be done. For an object that is fine, what speaks against it.",
		Example: "  tristate why cluster/prod\n  tristate why deploy/web -n shop\n  tristate why deploy/web --logs      # with the last lines of the container that it blames\n  tristate why -f dump.yaml        # every hierarchy that is not fine\n  tristate why -f dump.yaml cluster/prod --explain",
		RunE: func(c *cobra.Command, args []string) error {
			targets, err := parseTargets(args)
			if err != nil {
				return err
			}
			switch {
			case v.logLines < 0:
				return usagef("--logs %d: the number of lines must not be negative", v.logLines)
			case v.logLines > 0 && len(v.files) > 0:
				return usagef("--logs needs a cluster: leave -f out")
			case v.logLines > 0 && v.watch:
				return usagef("--logs shows the lines of one moment: leave --watch out")
			}
			if len(v.contexts) > 1 {
				return a.treesOfMany(c.Context(), v, func(ctx context.Context, one *App, v *view) error { return one.runWhy(ctx, v, targets) })
			}
			return a.repeat(c.Context(), v, targets, func() error { return a.runWhy(c.Context(), v, targets) })
		},
	}
	v.add(c)
	c.Flags().IntVar(&v.logLines, "logs", 0, "show the last lines of the containers that explain it: 10, or the number given, as in --logs=50")
	c.Flags().Lookup("logs").NoOptDefVal = logLines
	c.Flags().BoolVar(&v.explain, "explain", false, "show how the verdict was reached: the rule that decided, the claims that it outranked, the words that were read")
	a.completes(c, &v.clusterFlags, &v.files, []string{})
	return c
}

// explanation says how the verdict about a root came about; nil where it is not asked for.
func (a *App) explanation(v *view, root *relation.Node) *verdict.Explanation {
	if !v.explain || root.Object == nil || v.judging == nil {
		return nil
	}
	_, x := v.judging.Explain(root.Object.Content, a.Now())
	return &x
}

func (a *App) runWhy(ctx context.Context, v *view, targets []target) error {
	g, ids, err := a.gather(ctx, v, targets)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		if err := a.nothing(ctx, v, targets); err != nil {
			return err
		}
	}
	if len(targets) == 0 {
		ids = v.walk.Tops(ids)
	}
	var roots []*relation.Node
	for _, id := range ids {
		if n := v.walk.Build(id); len(targets) > 0 || !n.Judgement.Fine() {
			roots = append(roots, n)
		}
	}
	logs := a.logs(ctx, v, g)
	var items []render.Item
	for _, root := range roots {
		item := render.Items(root)[0]
		if v.printer != nil && logs != nil {
			render.AddLogs(&item, root, logs)
		}
		item.Explanation = a.explanation(v, root)
		items = append(items, item)
	}
	if done, err := a.showItems(v, items); done || err != nil {
		return firstError(err, a.ended(v, roots))
	}
	o := a.options()
	o.All = v.noGroup
	events, unread := a.events(ctx, v, g), cluster.Summary(v.unread)
	v.shown = len(v.unread)
	for i, root := range roots {
		if i > 0 {
			fmt.Fprintln(a.Out)
		}
		story := render.Story{Root: root, Causes: relation.Causes(root), Doubts: relation.Doubts(root), Event: events, Unread: unread, Logs: logs}
		if err := render.Why(a.Out, story, o); err != nil {
			return err
		}
		if x := a.explanation(v, root); x != nil {
			fmt.Fprintln(a.Out)
			if err := render.Explain(a.Out, *x, o); err != nil {
				return err
			}
		}
	}
	return a.ended(v, roots)
}

// events returns a function that finds the event that tells most about an object: the newest warning, or else the newest. In a cluster it
// asks for the events of that object only.
func (a *App) events(ctx context.Context, v *view, g *relation.Graph) func(relation.ID) *render.Event {
	return func(id relation.ID) *render.Event {
		if v.from != nil {
			if err := v.from.Events(ctx, g, id); err != nil {
				v.unread = append(v.unread, err)
			}
		}
		var best *render.Event
		for _, group := range []string{"", "events.k8s.io"} {
			for _, o := range g.List(schema.GroupKind{Group: group, Kind: "Event"}) {
				if e := eventOf(o, id); e != nil && (best == nil || tells(*e, *best)) {
					best = e
				}
			}
		}
		return best
	}
}

// tells reports whether event a tells more than b.
func tells(a, b render.Event) bool {
	if (a.Type == "Warning") != (b.Type == "Warning") {
		return a.Type == "Warning"
	}
	return a.Last.After(b.Last)
}

// eventOf reads an event of either API; nil where it is about another object.
func eventOf(o *relation.Object, id relation.ID) *render.Event {
	about, ok := o.Content["involvedObject"].(map[string]any)
	if !ok {
		about, _ = o.Content["regarding"].(map[string]any)
	}
	str := func(m map[string]any, key string) string { s, _ := m[key].(string); return s }
	group, _ := schema.ParseGroupVersion(str(about, "apiVersion"))
	if str(about, "kind") != id.Kind || group.Group != id.Group || str(about, "name") != id.Name || str(about, "namespace") != id.Namespace {
		return nil
	}
	e := &render.Event{Type: str(o.Content, "type"), Reason: str(o.Content, "reason"), Message: str(o.Content, "message"), Count: 1}
	if e.Message == "" {
		e.Message = str(o.Content, "note")
	}
	series, _ := o.Content["series"].(map[string]any)
	for _, count := range []any{o.Content["count"], o.Content["deprecatedCount"], series["count"]} {
		if n, ok := count.(int64); ok && n > e.Count {
			e.Count = n
		}
	}
	metadata, _ := o.Content["metadata"].(map[string]any)
	for _, when := range []string{str(o.Content, "lastTimestamp"), str(o.Content, "deprecatedLastTimestamp"), str(series, "lastObservedTime"),
		str(o.Content, "eventTime"), str(metadata, "creationTimestamp")} {
		if t, err := time.Parse(time.RFC3339, when); err == nil && t.After(e.Last) {
			e.Last = t
		}
	}
	return e
}
