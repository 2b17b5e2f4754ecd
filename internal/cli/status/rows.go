// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/verdict"
)

// row is an object of a file as a table shows it: there may be very many. What else is known of it is found again when it is printed.
type row struct {
	*relation.ID
	judged *relation.Judgement // shared by all rows that differ only in since
	since  time.Time
	late   bool // it is overdue
}

// judgement returns the part of the judgement that orders rows and that tables show.
func (r row) judgement() relation.Judgement {
	j := *r.judged
	j.Since, j.Overdue = r.since, r.late
	return j
}

// shown is what a table shows of a judgement, but for the time.
type shown struct {
	verdict                       verdict.Status
	condition                     string
	status                        conditions.Status
	reason                        string
	severity                      conditions.Severity
	message                       string
	contradiction, contradictions string
}

// rows judges the objects of the files that targets name, and returns those that are to be shown, in order.
func (v *Status) rows(ctx context.Context, targets []cluster.Query) ([]row, error) {
	ids, err := v.ReadFiles(ctx, targets)
	if err != nil {
		return nil, err
	}
	now := v.App.Now()
	v.Walk.Judge = v.Judge()
	out := make([]row, 0, len(ids))
	known := map[shown]*relation.Judgement{}
	for i, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := v.node(id)
		n.Judgement.Below = v.below(n)
		v.judged++
		j := n.Judgement
		if !v.shows(id, j, now) {
			continue
		}
		v.unhealthy = v.unhealthy || v.Unhealthy(n)
		key := shown{j.Verdict, j.Type, j.Status, j.Reason, j.Severity, j.Message, j.Below,
			strings.Join(j.Contradictions, "\x00")}
		if known[key] == nil {
			j.Since, j.Due, j.Others, j.Evidence, j.Remedy = time.Time{}, time.Time{}, nil, nil, ""
			known[key] = &j
		}
		out = append(out, row{&ids[i], known[key], n.Judgement.Since, n.Judgement.Overdue})
	}
	if v.sort != "name" {
		slices.SortStableFunc(out, func(x, y row) int { return v.compare(x.judgement(), y.judgement()) })
	}
	return out, nil
}

// node returns an object of the files with its whole judgement.
func (v *Status) node(id relation.ID) *relation.Node {
	return assess(v.Walk.Graph.Get(id), v.Walk.Judgement)
}

// whole returns the objects of rows with their whole judgements.
func (v *Status) whole(rows []row) iter.Seq[*relation.Node] {
	return func(yield func(*relation.Node) bool) {
		for _, r := range rows {
			n := v.node(*r.ID)
			n.Judgement.Below = r.judged.Below
			if !yield(n) {
				return
			}
		}
	}
}

// inTable returns the objects of rows as a table shows them. Each is valid until the next.
func (v *Status) inTable(rows []row) iter.Seq[*relation.Node] {
	return func(yield func(*relation.Node) bool) {
		n := &relation.Node{}
		for _, r := range rows {
			n.ID, n.Judgement = *r.ID, r.judgement()
			if n.Object = (&relation.Object{ID: *r.ID}); v.Output == "wide" {
				n.Object = v.Walk.Graph.Get(*r.ID)
			}
			if !yield(n) {
				return
			}
		}
	}
}

// ofFiles prints the objects of files.
func (v *Status) ofFiles(rows []row) error {
	if v.Printer != nil {
		return v.Print(func(yield func(render.Item) bool) {
			for n := range v.whole(rows) {
				if !yield(render.Top(n)) {
					return
				}
			}
		})
	}
	if len(rows) == 0 && v.judged == 0 {
		return nil
	}
	return v.writeTable(len(rows), v.inTable(rows))
}
