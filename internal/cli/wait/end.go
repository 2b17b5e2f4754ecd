// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/cli/exit"

	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/partial"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/internal/fleet/wait"
	"github.com/tristate/tristate/verdict"
	"sigs.k8s.io/yaml"
)

// itemJSON is the verdict about one object, and its state in the wait.
type itemJSON struct {
	render.Item
	Wait wait.State `json:"wait"`
}

// listJSON is the document of -o json: a list of verdicts, and how the wait ended.
type listJSON struct {
	APIVersion string      `json:"apiVersion"`
	Kind       string      `json:"kind"`
	Items      []itemJSON  `json:"items"`
	Outcome    outcomeJSON `json:"outcome"`
}

// outcomeJSON is how a wait ended; the last line of -o jsonl.
type outcomeJSON struct {
	Outcome wait.Outcome `json:"outcome"`
	Code    int          `json:"code"`
	Message string       `json:"message,omitempty"`
	Met     int          `json:"met"`
	Needed  int          `json:"needed"`
	Total   int          `json:"total"`
	Seconds float64      `json:"seconds"`
}

// codes are the exit codes of outcomes.
var codes = map[wait.Outcome]int{wait.Reached: exit.OK, wait.Broken: exit.Failed, wait.TimedOut: exit.Timeout, wait.Stuck: exit.Timeout,
	wait.Superseded: exit.Superseded,
	wait.NotFound:   exit.NotFound, wait.Unknowable: exit.Unknown, wait.Unreachable: exit.Unknown, wait.Interrupted: exit.Interrupted}

// words are the outcomes for people.
var words = map[wait.Outcome]string{wait.Reached: "met", wait.Broken: "failed", wait.TimedOut: "timed out", wait.Stuck: "stuck",
	wait.Superseded: "superseded",
	wait.NotFound:   "not found", wait.Unknowable: "unknown", wait.Unreachable: "unreachable", wait.Interrupted: "interrupted"}

// end reports how the wait ended, with the causes if it was not met, and returns the exit code as an error. c is nil for files.
func (w *waiting) end(ctx context.Context, c *cluster.Cluster, g *relation.Graph, d wait.Decision) error {
	now := w.app.Now()
	w.erase()
	w.o.ReportDecided(w.app)
	items := make([]*item, 0, len(w.items))
	for _, i := range w.items {
		switch {
		case d.Outcome == wait.Unreachable && i.state != wait.Met && i.object != nil && (w.away || w.queries[i.target].state == wait.Trouble):
			last := strings.TrimSpace(string(i.judgement.Verdict) + " " + w.detail(i))
			i.judgement = relation.Judgement{Verdict: verdict.Unknown, Reason: "Unreachable", Message: "last seen " + last}
		case i.state == wait.Hidden:
			i.judgement = relation.Judgement{Verdict: verdict.Unknown, Reason: "Forbidden", Message: w.queries[i.target].why}
		}
		items = append(items, i)
	}
	slices.SortFunc(items, compareItems)
	if d.Outcome == wait.Reached && len(w.below.items) > 0 && w.reading.Outcome() == partial.Unknown && w.o.test.Judges() {
		d.Outcome, d.Why = wait.Unknowable, "children count that could not be read: "+w.reading.Summary()
	}
	bad := d.Outcome != wait.Reached
	nodes := w.nodes(ctx, c, g, items, bad && d.Outcome != wait.Interrupted && d.Outcome != wait.Unreachable, now)
	out := outcomeJSON{Outcome: d.Outcome, Code: codes[d.Outcome], Message: w.message(d), Met: d.Met, Needed: d.Needed, Total: d.Total,
		Seconds: now.Sub(w.start).Round(time.Millisecond).Seconds()}
	if err := w.finish(items, nodes, out, bad, now); err != nil {
		return err
	}
	if w.o.junit != "" {
		if err := os.WriteFile(w.o.junit, junit(items, nodes, out), 0o666); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	switch {
	case !bad:
		return nil
	case d.Outcome == wait.Interrupted:
		return exit.With(exit.Interrupted, nil)
	}
	return exit.With(codes[d.Outcome], fmt.Errorf("%s after %s: %s", words[d.Outcome], render.Seconds(now.Sub(w.start)), out.Message))
}

// message returns how the wait ended: the reason, how many objects were met, and the queries that could not be answered.
func (w *waiting) message(d wait.Decision) string {
	parts := []string{d.Why, counted(d), strings.TrimPrefix(w.unread(), "; ")}
	if d.Outcome == wait.Unreachable {
		parts[2] = "" // d.Why has it
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// counted returns how many objects are met; empty while there are none.
func counted(d wait.Decision) string {
	if d.Needed == 0 && d.Total == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d met", d.Met, d.Needed)
}

// finish writes the rest of the output.
func (w *waiting) finish(items []*item, nodes []*relation.Node, out outcomeJSON, bad bool, now time.Time) error {
	switch {
	case w.o.output == "jsonl":
		return w.write(out)
	case w.o.printer != nil:
		return nil
	case w.o.output == "json", w.o.output == "yaml":
		list := listJSON{APIVersion: "tristate.dev/v1alpha1", Kind: "VerdictList", Items: []itemJSON{}, Outcome: out}
		for n, i := range items {
			list.Items = append(list.Items, itemJSON{w.json(nodes[n]), i.state})
		}
		if w.o.output == "yaml" {
			data, err := yaml.Marshal(list)
			if err == nil {
				_, err = w.app.Out.Write(data)
			}
			return err
		}
		e := json.NewEncoder(w.app.Out)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		return e.Encode(list)
	case !bad && w.app.Terminal:
		_, err := fmt.Fprintf(w.app.Out, "%d of %d met after %s\n", out.Met, out.Total, render.Seconds(now.Sub(w.start)))
		return err
	case !bad:
		return nil
	}
	var rest []*relation.Node
	for n, i := range items {
		if i.state != wait.Met {
			rest = append(rest, nodes[n])
		}
	}
	o := w.app.RenderOptions()
	shown := rest[:min(len(rest), maxLines)]
	if err := render.Table(w.app.Out, slices.Values(shown), o); err != nil {
		return err
	}
	if more := len(rest) - len(shown); more > 0 {
		fmt.Fprintf(w.app.Out, "and %d more\n", more)
	}
	return w.because(shown, o)
}

// because writes the causes of objects, each once, and none for an object that is its own cause.
func (w *waiting) because(nodes []*relation.Node, o render.Options) error {
	said := map[string]bool{}
	for _, n := range nodes {
		causes := relation.Causes(n)
		if len(causes) == 0 || causes[0].Node == n && n.Judgement.Remedy == "" {
			continue
		}
		var b strings.Builder
		if err := render.Because(&b, n, o); err != nil {
			return err
		}
		if text := b.String(); !said[text] {
			said[text] = true
			if _, err := io.WriteString(w.app.Out, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// nodes returns the trees of objects. With causes, the objects below those that are not met are read.
func (w *waiting) nodes(ctx context.Context, c *cluster.Cluster, g *relation.Graph, items []*item, causes bool,
	now time.Time) []*relation.Node {
	if g == nil {
		g = relation.NewPacked(w.set)
	}
	view := &relation.View{Graph: g, Judge: w.alone(now).Of}
	var ids []relation.ID
	deep := map[relation.ID]bool{}
	for _, i := range items {
		if causes && i.object != nil && i.object.Content != nil && i.state != wait.Met && i.state != wait.Hidden && len(ids) < maxLines {
			g.Put(i.object)
			ids, deep[i.ID] = append(ids, i.ID), true
		}
	}
	if c != nil && len(ids) > 0 {
		ctx, stop := context.WithTimeout(ctx, 10*time.Second)
		defer stop()
		var causes partial.Reading // the outcome does not depend on them
		causes.Add(partial.Extra, c.Related(ctx, view, ids)...)
		for _, line := range causes.Lines() {
			w.app.Reportf("%s", line)
		}
	}
	out := make([]*relation.Node, len(items))
	for n, i := range items {
		if deep[i.ID] {
			out[n] = view.Build(i.ID)
		}
		if out[n] == nil {
			out[n] = &relation.Node{ID: i.ID, Object: i.object, Judgement: i.judgement}
		}
	}
	return out
}

// json returns the verdict about one object, without those below it.
func (w *waiting) json(n *relation.Node) render.Item {
	item := render.Top(n)
	if item.Object.APIVersion == "" {
		for _, q := range w.queries {
			if q.mapping != nil && q.mapping.GroupVersionKind.GroupKind() == n.GroupKind {
				item.Object.APIVersion = q.mapping.GroupVersionKind.GroupVersion().String()
			}
		}
	}
	return item
}

func (w *waiting) write(v any) error {
	e := json.NewEncoder(w.app.Out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
