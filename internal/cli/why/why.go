// SPDX-License-Identifier: Apache-2.0

package why

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/view"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/partial"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
)

// brief is the output of a few lines for each cause.
const brief = "brief"

// options are the flags that only why has.
type options struct {
	explain  bool
	logLines int
}

// Command returns the command.
func Command(a *app.App) *cobra.Command {
	v, o := view.New(a, view.Options{Below: true}), &options{}
	c := &cobra.Command{
		Use:   "why [TYPE/NAME ...] [PATH ...]",
		Short: "Explain why an object is unhealthy, and what to do next",
		Long: "Fold the hierarchy below an object to the smallest set of objects that explains it: the path to each cause, objects with the " +
			"same problem, the field and the event that show it, and what to do. For a healthy object: what contradicts it; for a namespace: " +
			"the objects in it. Without arguments, or with -A: the causes of all problems of the namespace, or of the cluster, the one that " +
			"explains most first.",
		Example: "  tristate why -n shop\n  tristate why -A -o brief             # a few lines for each cause\n  tristate why cluster/prod\n  " +
			"tristate why deploy/web -n shop\n  tristate why deploy/web --logs      # with the last lines of the container that it blames\n  " +
			"tristate why -f dump.yaml        # every unhealthy hierarchy\n  tristate why -f dump.yaml cluster/prod --explain",
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case o.logLines < 0:
				return exit.Usagef("--logs %d: the number of lines must not be negative", o.logLines)
			case o.logLines > 0 && len(v.Files) > 0:
				return exit.Usagef("--logs needs a cluster: leave -f out")
			case len(args) == 0 && v.Watch:
				return exit.Usagef("--watch needs an object: name it as TYPE/NAME")
			case o.logLines > 0 && v.Watch:
				return exit.Usagef("--logs shows the lines of one moment: leave --watch out")
			}
			return v.Answer(c.Context(), args, o.run)
		},
	}
	v.Add(c, brief)
	c.Flags().IntVar(&o.logLines, "logs", 0, "show the last lines of the containers that explain it: 10, or the number given, as in --logs=50")
	c.Flags().Lookup("logs").NoOptDefVal = logLines
	c.Flags().BoolVar(&o.explain, "explain", false, "show how the verdict was reached: the rule that decided, the claims that it outranked, "+
		"the words that were read")
	return c
}

// Read reads the hierarchies below the objects that targets name; without targets those of everything that are not healthy.
func Read(ctx context.Context, v *view.View, targets []cluster.Query) ([]*relation.Node, error) {
	var ids []relation.ID
	var err error
	if len(targets) == 0 && len(v.Files) == 0 {
		ids, err = v.ReadEverything(ctx)
	} else {
		ids, err = v.Roots(ctx, targets)
	}
	if err != nil {
		return nil, err
	}
	if len(targets) == 0 {
		roots := v.Walk.Troubled(ids)
		v.Reading.Explain(roots...)
		return roots, nil
	}
	var roots []*relation.Node
	for _, id := range ids {
		n := v.Walk.Build(id)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if id.GroupKind == view.Namespaces {
			if err := v.AddNamespaced(ctx, n); err != nil {
				return nil, err
			}
		}
		roots = append(roots, n)
	}
	v.Reading.Explain(roots...)
	return roots, nil
}

// Causes returns the causes of everything that was read, and those that explain each of some roots. Everything is the whole dump; from a
// cluster only the hierarchies of the roots were read.
func Causes(v *view.View, roots []*relation.Node, targets []cluster.Query) (all []relation.Ranked, each [][]relation.Ranked) {
	if v.Cluster == nil && len(targets) > 0 && slices.ContainsFunc(roots, func(n *relation.Node) bool { return !n.Judgement.Fine() }) {
		all = v.Walk.Everything()
	} else {
		all = v.Walk.Ranked(roots)
	}
	for _, root := range roots {
		switch {
		case !root.Judgement.Fine():
			each = append(each, relation.Of(root, all))
		case len(targets) > 0:
			each = append(each, v.Walk.Ranked([]*relation.Node{root}))
		default:
			each = append(each, nil)
		}
	}
	return all, each
}

// Explanation returns what all hierarchies of a view have in common: the events and edits, which are read when they are asked for, and the
// types that could not be read.
func Explanation(ctx context.Context, v *view.View) render.Explanation {
	return render.Explanation{Event: eventsOf(ctx, v), Changes: changesOf(ctx, v), Unread: v.Reading.Summary(),
		Unknown: v.Outcome() == partial.Unknown}
}

func (o *options) run(ctx context.Context, v *view.View, targets []cluster.Query) error {
	a := v.App
	// everything: the causes are ranked over all hierarchies.
	everything := len(targets) == 0 && (len(v.Files) == 0 || v.AllNamespaces || v.Namespace != "")
	roots, err := Read(ctx, v, targets)
	if err != nil {
		return err
	}
	explanation := Explanation(ctx, v)
	explanation.Logs = o.logs(ctx, v)
	var items []render.Item
	all, each := Causes(v, roots, targets)
	for i, root := range roots {
		item := render.Top(root)
		if v.Printer != nil {
			explanation.Add(&item, each[i])
		}
		if o.explain {
			item.Explanation = v.Explain(root)
		}
		items = append(items, item)
	}
	if done, err := v.ShowItems(items); done || err != nil {
		return cmp.Or(err, v.Ended(roots))
	}
	how := v.App.RenderOptions() // of files, as of their time
	how.All = v.NoGroup
	if everything || v.Output == brief || explanation.Unknown {
		v.Reading.Named() // in the first line
	}
	if everything || v.Output == brief {
		show := render.Ranked
		if v.Output == brief {
			show = render.Brief
		}
		if len(targets) > 0 {
			all = joined(each)
		}
		return cmp.Or(show(a.Out, all, explanation, how), v.Ended(roots))
	}
	for i, root := range roots {
		if i > 0 {
			fmt.Fprintln(a.Out)
		}
		explanation.Explain(root, each[i])
		if err := render.Why(a.Out, explanation, how); err != nil {
			return err
		}
		if !o.explain {
			continue
		}
		if x := v.Explain(root); x != nil {
			fmt.Fprintln(a.Out)
			if err := render.Explain(a.Out, *x, how); err != nil {
				return err
			}
		}
	}
	return v.Ended(roots)
}

// joined returns the causes of several roots, each once.
func joined(each [][]relation.Ranked) []relation.Ranked {
	var out []relation.Ranked
	known := map[relation.ID]bool{}
	for _, r := range slices.Concat(each...) {
		if !known[r.Node.ID] {
			out = append(out, r)
		}
		for _, n := range r.Nodes {
			known[n.ID] = true
		}
	}
	return out
}

// changesOf returns a function that finds the edits before a cause. From a cluster it reads the objects whose edits may explain it again,
// with their managed fields, and the revisions of their releases; what cannot be read is left out, as the answer is right without it.
func changesOf(ctx context.Context, v *view.View) func(relation.Cause) []relation.Change {
	read := map[relation.ID]bool{}
	return func(c relation.Cause) []relation.Change {
		if v.Cluster == nil || v.Live != nil { // with --watch nothing is read besides what is watched
			return v.Walk.Changes(c)
		}
		again := func(ids []relation.ID) {
			for _, id := range ids {
				if !read[id] {
					read[id] = true
					v.Cluster.Again(ctx, v.Walk.Graph, id)
				}
			}
		}
		again(v.Walk.Edited(c))
		again(v.Walk.Edited(c)) // with the owners that were read now
		again(v.Walk.Released(c))
		return v.Walk.Changes(c)
	}
}
