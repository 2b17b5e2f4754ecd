// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/internal/fleet/wait"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// report holds what was printed of a wait so far.
type report struct {
	frame   string         // is on the last line of a terminal
	touched map[*item]bool // since the last print
	drawn   time.Time
	counts  string
}

const (
	// maxLines is how many objects get lines of their own during a wait, and causes when it was not met.
	maxLines = 20
	// frameEvery is the shortest time between two drawings of the line on a terminal, and tickEvery the longest.
	frameEvery, tickEvery = 100 * time.Millisecond, time.Second
)

// print prints the changes: a line an object where there are few, and with -o jsonl.
func (w *waiting) print(now time.Time) {
	if !w.app.Terminal || w.o.output != "" {
		_ = w.stale.Report(w.app, w.o.output == "jsonl") // a broken pipe shows at the end
	}
	for _, s := range w.machine.Changes() {
		if i := w.items[itemKey{s.Target, s.Key}]; i != nil {
			w.touch(i)
			i.state = s.State
		}
	}
	touched := make([]*item, 0, len(w.report.touched))
	for i := range w.report.touched {
		touched = append(touched, i)
	}
	clear(w.report.touched)
	slices.SortFunc(touched, compareItems)
	for _, i := range touched {
		if i.state == wait.Met && w.o.printer != nil {
			w.printObject(i)
		}
		settled := i.state == wait.Met || i.state == wait.Failed || i.state == wait.Late || i.state == wait.Replaced
		text := string(i.state)
		if !w.app.Terminal || w.o.output != "" {
			text += "\t" + string(i.judgement.Verdict) + "\t" + w.detail(i)
		} else if !settled && i.printed == "" {
			continue // the frame shows it
		}
		if text == i.printed || i.judgement.Reason == notRead || w.items[i.itemKey] != i {
			continue
		}
		i.printed = text
		switch {
		case w.o.output == "jsonl":
			// a broken pipe shows at the end
			_ = w.write(itemJSON{w.json(&relation.Node{ID: i.ID, Object: i.object, Judgement: i.judgement}), i.state})
		case w.o.output != "" || len(w.items) > maxLines:
		case w.app.Terminal:
			w.erase()
			fmt.Fprintln(w.app.Out, runewidth.Truncate(strings.TrimSpace(fmt.Sprintf("%s %s  %s after %s  %s", symbolOf(i.state), w.name(i), i.state,
				render.Seconds(now.Sub(w.start)), w.detail(i))), w.app.Columns(), "…"))
		default:
			fmt.Fprintf(w.app.Out, "%s\t%s\t%s\t%s\n", render.Seconds(now.Sub(w.start)), render.Line(i.Namespace), render.Line(i.Kind+"/"+i.Name),
				text)
		}
	}
}

// printObject prints an object that is met, once, by the printer that -o asks for.
func (w *waiting) printObject(i *item) {
	if i.output {
		return
	}
	i.output = true
	u := &unstructured.Unstructured{Object: map[string]any{}}
	if i.content() {
		u.Object = i.object.Content
	} else { // it does not exist, as the wait demands
		u.SetKind(i.Kind)
		u.SetName(i.Name)
		u.SetNamespace(i.Namespace)
		if q := w.queries[i.target]; q.mapping != nil {
			u.SetGroupVersionKind(q.mapping.GroupVersionKind)
		}
	}
	var b bytes.Buffer
	if err := w.o.printer.PrintObj(u, &b); err != nil {
		w.app.Reportf("print %s/%s: %v", i.Kind, i.Name, err)
		return
	}
	_, _ = b.WriteTo(w.app.Out) // a broken pipe shows at the end
}

func (w *waiting) touch(i *item) {
	if w.report.touched == nil {
		w.report.touched = map[*item]bool{}
	}
	w.report.touched[i] = true
}

func compareItems(a, b *item) int {
	return cmp.Or(cmp.Compare(a.target, b.target), cmp.Compare(a.key, b.key))
}

func symbolOf(s wait.State) string {
	switch s {
	case wait.Met:
		return "✓"
	case wait.Failed, wait.Late, wait.Replaced:
		return "✗"
	}
	return "…"
}

// name returns the name of an object in lines for people.
func (w *waiting) name(i *item) string {
	name := render.Line(i.Kind + "/" + i.Name)
	if w.queries[i.target].Namespace == "" && i.Namespace != "" {
		name = render.Line(i.Namespace) + "  " + name
	}
	return name
}

// detail returns why an object is in its state.
func (w *waiting) detail(i *item) string {
	text := render.Detail(i.judgement)
	switch {
	case i.err != nil:
		text = strings.TrimSpace(i.err.Error() + "  " + text)
	case i.state == wait.Hidden:
		text = w.queries[i.target].why
	case i.lacks != "" && i.state != wait.Met:
		text = strings.TrimSpace(text + "  (" + i.lacks + ")")
	case i.blocker != nil && (i.state == wait.Failed || i.state == wait.Failing):
		text += "  (waiting does not mend " + i.blocker.Kind + "/" + i.blocker.Name + ": " + i.blocker.Reason + ")"
	case i.state != wait.Failed && i.judgement.Type == conditions.TypeStalled && i.judgement.Status == conditions.True:
		text += "  (stalled, not failed for good: the wait goes on; --fail verdict=Failed ends it)"
	}
	return render.Line(text)
}

// redraw shows the progress of the wait: on a terminal in one line, otherwise as counts where objects are too many for lines of their own.
// It returns the time by which it has to be called again.
func (w *waiting) redraw(d wait.Decision, now time.Time) time.Time {
	r := &w.report
	line := counted(d)
	if d.Failed > 0 {
		line += fmt.Sprintf(", %d failed", d.Failed)
	}
	if w.o.output != "" {
		return time.Time{}
	}
	if at := r.drawn.Add(frameEvery); w.app.Terminal && now.Before(at) {
		return at
	}
	if at := r.drawn.Add(tickEvery); !w.app.Terminal && now.Before(at) {
		return at
	}
	r.drawn = now
	if !w.app.Terminal {
		if text := render.Line(strings.TrimPrefix(line+w.unread(), "; ")); r.counts != text && (len(w.items) > maxLines || len(w.items) == 0) {
			r.counts = text
			fmt.Fprintf(w.app.Out, "%s\t%s\n", render.Seconds(now.Sub(w.start)), text)
		}
		return time.Time{}
	}
	line = fmt.Sprintf("waiting %s  %s", render.Seconds(now.Sub(w.start)), render.Line(strings.TrimPrefix(line+w.unread(), "; ")))
	if text := w.stale.Line(now, true); text != "" {
		line += "  " + text
	} else if i := w.first(); i != nil && i.judgement.Reason == notRead {
		line += "  reading " + w.name(i)
	} else if i := w.first(); i != nil {
		line += "  " + w.name(i) + " " + string(i.judgement.Verdict) + "  " + w.detail(i)
	}
	w.erase()
	r.frame = runewidth.Truncate(line, w.app.Columns()-1, "…") // the last column is left free, or some terminals wrap
	fmt.Fprint(w.app.Out, r.frame)
	return now.Add(tickEvery)
}

// erase removes the line of a terminal.
func (w *waiting) erase() {
	if w.report.frame != "" {
		fmt.Fprint(w.app.Out, "\r\x1b[K")
		w.report.frame = ""
	}
}

// unread names the selectors without an answer.
func (w *waiting) unread() string {
	var b strings.Builder
	found := map[wait.Target]bool{}
	for k := range w.items {
		found[k.target] = true
	}
	for n, q := range w.queries {
		switch {
		case q.Name != "" || found[wait.Target(n)]:
		case q.state == wait.Loading:
			fmt.Fprintf(&b, "; reading %s", q.Type)
		case q.state == wait.Served && !w.o.goal.Gone:
			fmt.Fprintf(&b, "; no %s found", q.Type)
		case q.state != wait.Served:
			fmt.Fprintf(&b, "; %s", q.why)
		}
	}
	return b.String()
}

// first returns the first object that is not met, for which the line has room.
func (w *waiting) first() *item {
	var first *item
	for _, i := range w.items {
		if i.state != wait.Met && (first == nil || compareItems(i, first) < 0) {
			first = i
		}
	}
	return first
}
