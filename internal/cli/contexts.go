// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/cluster"
	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/internal/render"
	"github.com/tristate/tristate/verdict"
)

// contextTimeout is how long one of several clusters may take to answer.
const contextTimeout = 30 * time.Second

// statusOfMany judges objects in several clusters at once, a line an object and a column a cluster. A cluster that does not answer costs
// only its column.
func (a *App) statusOfMany(ctx context.Context, v *statusView, targets []target) error {
	if v.output == "wide" || v.watch || len(v.files) > 0 {
		return usagef("several contexts cannot be combined with -o wide, --watch or -f")
	}
	answers := make([][]*relation.Node, len(v.contexts))
	silent := make([]bool, len(v.contexts))
	problems := make([][]render.Problem, len(v.contexts))
	err := a.inEach(ctx, v.contexts, func(ctx context.Context, i int, app *App) (err error) {
		ctx, stop := context.WithTimeout(ctx, contextTimeout)
		defer stop()
		single := &statusView{filter: v.filter}
		single.catalogFlags, single.clusterFlags, single.engine = v.catalogFlags, v.clusterFlags, v.engine
		single.context, single.contexts = v.contexts[i], v.contexts[i:i+1]
		answers[i], err = app.statusNodes(ctx, single, targets)
		if err == nil {
			failed := slices.DeleteFunc(slices.Clone(single.failed), func(e *cluster.Error) bool {
				return e.Name != "" && e.Reason() == cluster.NotFound && len(targets) == 1 // which its cell shows
			})
			if len(failed) > 0 {
				err = &exit{codeOfAll(failed), joined(failed)}
			}
		}
		silent[i] = err != nil && len(answers[i]) == 0
		problems[i] = problemsIn(v.contexts[i], app.problems(&single.view), err)
		return err
	})
	v.problems = slices.Concat(problems...)
	return a.showMany(v, answers, silent, err)
}

// showMany shows the answers of several clusters, of which some may be silent; failed is the exit code that this gives.
func (a *App) showMany(v *statusView, answers [][]*relation.Node, silent []bool, failed error) error {
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
			item := render.Items(n)[0]
			item.Context = v.contexts[i]
			items = append(items, item)
		}
	}
	if done, err := a.showItems(&v.view, items); done || err != nil {
		return firstError(err, failed, a.ended(&v.view, all))
	}
	rows := slices.SortedFunc(maps.Keys(cells), relation.Compare)
	slices.SortStableFunc(rows, func(x, y relation.ID) int { return v.compare(worst(cells[x]), worst(cells[y])) })
	o := a.options()
	o.NoHeaders = v.noHeaders
	grid := render.Grid{Contexts: v.contexts, Silent: silent}
	for _, id := range rows {
		grid.Rows = append(grid.Rows, render.GridRow{ID: id, Cells: cells[id], Worst: worst(cells[id])})
	}
	return firstError(grid.Write(a.Out, o), failed, a.ended(&v.view, all))
}

// worst is the judgement of an object that is worst among clusters, of equals the oldest.
func worst(cells []*relation.Node) relation.Judgement {
	worst := relation.Judgement{Verdict: string(verdict.Current)}
	found := false
	for _, n := range cells {
		if n == nil {
			continue
		}
		j := n.Judgement
		if !found || badness(j) > badness(worst) || badness(j) == badness(worst) && oldest(j, worst) < 0 {
			worst, found = j, true
		}
	}
	return worst
}

// contextWriter writes warnings of several clusters, one at a time, with the context they are of.
type contextWriter struct {
	mu   *sync.Mutex
	w    io.Writer
	name string
}

// Write is a method of io.Writer. Each call is one message.
func (w *contextWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := fmt.Fprintf(w.w, "context %s: %s", w.name, p); err != nil {
		return 0, err
	}
	return len(p), nil
}
