// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/render"
	"github.com/tristate/tristate/relation"
	"github.com/tristate/tristate/verdict"
)

// contextTimeout is how long one of several clusters may take to answer.
const contextTimeout = 30 * time.Second

// answer is what one of several clusters said.
type answer struct {
	nodes []*relation.Node
	err   error
}

// statusOfMany judges objects in several clusters at once, a line an object and a column a cluster. A cluster that does not answer costs
// only its column.
func (a *App) statusOfMany(ctx context.Context, v *statusView, targets []target) error {
	if v.output == "wide" || v.watch || len(v.files) > 0 {
		return usagef("several contexts go without -o wide, --watch and -f")
	}
	answers := make([]answer, len(v.contexts))
	var wait sync.WaitGroup
	var mu sync.Mutex
	for i, name := range v.contexts {
		one := *a
		one.Err = &contextWriter{&mu, a.Err, name}
		single := &statusView{filter: v.filter}
		single.catalogFlags, single.clusterFlags, single.engine = v.catalogFlags, v.clusterFlags, v.engine
		single.context, single.contexts = name, []string{name}
		wait.Go(func() {
			ctx, stop := context.WithTimeout(ctx, contextTimeout)
			defer stop()
			answers[i].nodes, answers[i].err = one.statusNodes(ctx, single, targets)
			var e *exit
			if len(targets) == 1 && targets[0].Name != "" && errors.As(answers[i].err, &e) && e.code == ExitNotFound {
				answers[i].err = nil // which its cell says
			}
		})
	}
	wait.Wait()
	return a.showMany(v, answers)
}

// showMany shows the answers of several clusters.
func (a *App) showMany(v *statusView, answers []answer) error {
	cells := map[relation.ID][]*relation.Node{}
	var all []*relation.Node
	var items []render.Item
	for i, answer := range answers {
		for _, n := range answer.nodes {
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
	failed := a.failures(v, answers)
	if done, err := a.showItems(&v.view, items); done || err != nil {
		return firstError(err, failed, v.judged(all))
	}
	rows := slices.SortedFunc(maps.Keys(cells), relation.Compare)
	slices.SortStableFunc(rows, func(x, y relation.ID) int { return v.compare(worst(cells[x]), worst(cells[y])) })
	grid := render.Grid{Contexts: v.contexts}
	for _, id := range rows {
		grid.Rows = append(grid.Rows, render.GridRow{ID: id, Cells: cells[id], Worst: worst(cells[id])})
	}
	for _, answer := range answers {
		grid.Silent = append(grid.Silent, answer.err != nil)
	}
	return firstError(grid.Write(a.Out, a.options(), a.Terminal), failed, v.judged(all))
}

// failures says which clusters did not answer, and gives the exit code of the first.
func (a *App) failures(v *statusView, answers []answer) error {
	var first error
	for i, answer := range answers {
		if answer.err == nil {
			continue
		}
		fmt.Fprintf(a.Err, "%s: context %s: %v\n", a.Name, v.contexts[i], answer.err)
		if first == nil {
			first = &exit{ExitUnknown, nil}
			var e *exit
			if errors.As(answer.err, &e) {
				first = &exit{e.code, nil}
			}
		}
	}
	return first
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
