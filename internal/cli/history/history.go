// SPDX-License-Identifier: Apache-2.0

package history

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/feed"
	"github.com/tristate/tristate/internal/cli/flags"
	"github.com/tristate/tristate/internal/cli/view"
	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/history"
	"github.com/tristate/tristate/internal/fleet/partial"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/internal/fleet/rows"
	"k8s.io/apimachinery/pkg/util/duration"
)

// options are the flags that only history has.
type options struct {
	feed.Options
	since  time.Duration
	output string
}

// Command returns the command.
func Command(a *app.App) *cobra.Command {
	v, o := view.New(a, view.Options{Engine: "tristate"}), &options{}
	c := &cobra.Command{
		Use:   "history TYPE/NAME ...",
		Short: "Print how the conditions of an object changed",
		Long: "Print how the verdict and the conditions of objects changed: as tristate ui or tristate serve recorded it on this machine, with " +
			"the times in which nothing was watched, " +
			"and before that as the objects themselves say since when their conditions hold. What was not seen as it happened is marked.",
		Example: "  tristate history deploy/web -n shop\n  tristate history node/a --since 2h -o json",
		Args:    flags.Some("history: name an object, as deployment/web"),
		RunE:    func(c *cobra.Command, args []string) error { return run(c.Context(), v, o, args) },
	}
	v.Catalogs.Add(c.Flags())
	v.Connection.Add(c.Flags())
	v.AddTrust(c.Flags())
	c.Flags().StringSliceVarP(&v.Files, "filename", "f", nil, "read objects from files, directories, - or example:shop instead of a cluster")
	c.Flags().StringVarP(&o.output, "output", "o", "", "output: json")
	c.Flags().DurationVar(&o.since, "since", 24*time.Hour, "how far back")
	c.Flags().StringVar(&o.History, "history", "", "folder in which the history is kept (default: tristate/history in the user's cache "+
		"folder)")
	v.Complete(c, a, &v.Files, []string{"json"})
	return c
}

// Objects prints the histories of objects as the command does, as recorded in the usual folder.
func Objects(ctx context.Context, v *view.View, since time.Duration, args []string) error {
	return run(ctx, v, &options{since: since}, args)
}

func run(ctx context.Context, v *view.View, o *options, args []string) error {
	if o.output != "" && o.output != "json" {
		return exit.Usagef("--output %s: use json", o.output)
	}
	targets, err := flags.ParseTargets(args)
	if err != nil {
		return err
	}
	for _, t := range targets {
		if t.Name == "" {
			return exit.Usagef("%s: name an object as TYPE/NAME", t.Type)
		}
	}
	ids, store, err := read(ctx, v, o, targets)
	if err != nil {
		return err
	}
	now := v.App.Now()
	judge, found := v.Judge(), 0
	v.Walk.Judge = judge
	for _, id := range ids {
		h := of(v, store, id, now.Add(-o.since), now)
		if len(h.Lanes) == 0 {
			continue
		}
		if found++; o.output == "json" {
			err = json.NewEncoder(v.App.Out).Encode(h)
		} else {
			err = write(v.App.Out, id, h, found > 1)
		}
		if err != nil {
			return err
		}
	}
	if found == 0 && !v.Reading.Any() {
		return exit.With(exit.NotFound, fmt.Errorf("nothing is known of %s", args[0]))
	}
	return v.End(false)
}

// read returns the names of the objects, those that are gone too, and the history of their cluster.
func read(ctx context.Context, v *view.View, o *options, targets []cluster.Query) ([]relation.ID, *history.Store, error) {
	if len(v.Files) > 0 {
		ids, err := v.ReadFiles(ctx, targets)
		return ids, nil, err
	}
	if err := v.Open(ctx, targets); err != nil {
		return nil, nil, err
	}
	config, _, err := v.Config()
	if err != nil {
		return nil, nil, err
	}
	store := history.Open(o.Folder(config.Host), history.Options{ReadOnly: true, Now: v.App.Now})
	ids, failed := v.Cluster.Roots(ctx, v.Walk.Graph, targets)
	for _, err := range failed {
		if err.Reason() != cluster.NotFound || err.Name == "" {
			v.Reading.Add(partial.Asked, err)
		}
	}
	for _, t := range targets { // an object that is gone has a history
		m, err := v.Cluster.Kind(t.Type)
		if err != nil {
			continue
		}
		id := relation.ID{GroupKind: m.GroupVersionKind.GroupKind(), Namespace: v.Cluster.Namespace, Name: t.Name}
		if m.Scope.Name() == "root" {
			id.Namespace = ""
		}
		if v.Walk.Graph.Get(id) == nil {
			ids = append(ids, id)
		}
	}
	return ids, store, ctx.Err()
}

// of returns the history of one object.
func of(v *view.View, store *history.Store, id relation.ID, from, to time.Time) api.History {
	l := rows.Lanes{Object: id}
	if o := v.Walk.Graph.Get(id); o != nil {
		j := v.Walk.Judgement(o)
		k := v.Set.Of(o.GroupVersionKind())
		l.Judgement, l.Conditions = &j, rows.ConditionsOf(o, k)
		if k != nil {
			l.Unhealthy = k.Unhealthy
		}
	}
	h := l.Of(store, from, to)
	h.ID = api.ID{ID: id}.String()
	return h
}

// write prints a history for people: a line for each span, the newest first.
func write(w io.Writer, id relation.ID, h api.History, more bool) error {
	text := ""
	if more {
		text = "\n"
	}
	text += render.Text(id.Kind + "/" + id.Name)
	if id.Namespace != "" {
		text += " in " + render.Text(id.Namespace)
	}
	text += "\n"
	for _, lane := range h.Lanes {
		text += "\n" + render.Text(lane.Name)
		if lane.Flapping {
			text += fmt.Sprintf("   flapping: %d changes within 10 minutes", lane.Flips)
		}
		text += "\n"
		for i := len(lane.Spans) - 1; i >= 0; i-- {
			s := lane.Spans[i]
			end := h.To
			if s.To != nil {
				end = *s.To
			}
			line := fmt.Sprintf("  %s  %-8s %-12s %s", s.From.Format(time.RFC3339), duration.HumanDuration(end.Sub(s.From)), s.Status, s.Reason)
			if s.Message != "" {
				line += ": " + render.Line(s.Message)
			}
			if how := map[string]string{"condition": "by its lastTransitionTime", "managedFields": "by the last write of its status",
				"gap": "began before it was seen"}[s.Source]; how != "" {
				line += "   (" + how + ")"
			}
			text += render.Text(line) + "\n"
		}
	}
	for _, g := range h.Gaps {
		text += fmt.Sprintf("\nnot watched from %s to %s (%s)\n", g.From.Format(time.RFC3339), g.To.Format(time.RFC3339), g.Reason)
	}
	_, err := io.WriteString(w, text)
	return err
}
