// SPDX-License-Identifier: Apache-2.0

package status

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/view"

	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/verdict"
)

// inContexts judges objects in several clusters at once, with a line for each object and a column for each cluster. The column of a cluster
// that does not answer is empty.
func (v *Status) inContexts(ctx context.Context, targets []cluster.Query) error {
	if v.Output == "wide" || v.Watch || len(v.Files) > 0 {
		return exit.Usagef("several contexts cannot be combined with -o wide, --watch or -f")
	}
	answers := make([][]*relation.Node, len(v.Contexts))
	silent := make([]bool, len(v.Contexts))
	problems := make([][]render.Problem, len(v.Contexts))
	err := view.ForEachContext(ctx, v.App, v.Contexts, func(ctx context.Context, i int, a *app.App) (err error) {
		ctx, stop := context.WithTimeout(ctx, view.ContextTimeout)
		defer stop()
		single := &Status{View: v.In(a, v.Contexts[i]), filter: v.filter}
		answers[i], err = single.nodes(ctx, targets)
		single.Reading.Drop(func(e *cluster.Error) bool { // which its cell shows
			return e.Name != "" && e.Reason() == cluster.NotFound && len(targets) == 1
		})
		problems[i] = view.ProblemsIn(v.Contexts[i], single.AllProblems(), err)
		if err == nil {
			err = single.End(false)
		}
		silent[i] = err != nil && len(answers[i]) == 0
		return err
	})
	v.Problems = slices.Concat(problems...)
	return v.showGrid(answers, silent, err)
}

// showGrid shows the answers of several clusters, of which some may be silent; failed is the exit code that the silent ones lead to.
func (v *Status) showGrid(answers [][]*relation.Node, silent []bool, failed error) error {
	cells := map[relation.ID][]*relation.Node{}
	var all []*relation.Node
	var items []render.Item
	for i, nodes := range answers {
		for _, n := range nodes {
			if cells[n.ID] == nil {
				cells[n.ID] = make([]*relation.Node, len(answers))
			}
			cells[n.ID][i] = n
			all = append(all, n)
			item := render.Top(n)
			item.Context = v.Contexts[i]
			items = append(items, item)
		}
	}
	if done, err := v.ShowItems(items); done || err != nil {
		return cmp.Or(err, failed, v.Ended(all))
	}
	rows := slices.SortedFunc(maps.Keys(cells), relation.Compare)
	slices.SortStableFunc(rows, func(x, y relation.ID) int { return v.compare(worst(cells[x]), worst(cells[y])) })
	o := v.App.RenderOptions()
	o.NoHeaders = v.NoHeaders
	grid := render.Grid{Contexts: v.Contexts, Silent: silent}
	for _, id := range rows {
		grid.Rows = append(grid.Rows, render.GridRow{ID: id, Cells: cells[id], Worst: worst(cells[id])})
	}
	return cmp.Or(grid.Write(v.App.Out, o), failed, v.Ended(all))
}

// worst returns the worst judgement of an object among clusters, of equals the oldest.
func worst(cells []*relation.Node) relation.Judgement {
	worst := relation.Judgement{Verdict: verdict.Current}
	found := false
	for _, n := range cells {
		if n == nil {
			continue
		}
		j := n.Judgement
		if !found || j.Rank() > worst.Rank() || j.Rank() == worst.Rank() && oldest(j, worst) < 0 {
			worst, found = j, true
		}
	}
	return worst
}
