// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/internal/render"
	"github.com/tristate/tristate/internal/wait"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// waitReport is what was said of a wait so far.
type waitReport struct {
	frame   string             // stands on the last line of a terminal
	touched map[*waitItem]bool // since something was said
	drawn   time.Time
	counts  string
}

const (
	// waitLines is how many objects get lines of their own while it is waited for them, and causes when it ends badly.
	waitLines = 20
	// waitFrame is how often the line of a terminal is drawn again at the most, and waitTick at the least.
	waitFrame, waitTick = 100 * time.Millisecond, time.Second
)

// tell says what has changed, a line an object where there are few, and with -o jsonl.
func (w *waiting) tell(now time.Time) {
	if !w.app.Terminal || w.o.output != "" {
		_ = w.stale.report(w.app, w.o.output == "jsonl") // a broken pipe shows at the end
	}
	for _, s := range w.machine.Changes() {
		if i := w.items[itemKey{s.Target, s.Key}]; i != nil {
			w.touch(i)
			i.state = s.State
		}
	}
	touched := make([]*waitItem, 0, len(w.report.touched))
	for i := range w.report.touched {
		touched = append(touched, i)
	}
	clear(w.report.touched)
	slices.SortFunc(touched, compareItems)
	for _, i := range touched {
		if i.state == wait.Met && w.o.printer != nil {
			w.print(i)
		}
		settled := i.state == wait.Met || i.state == wait.Failed || i.state == wait.Late
		said := string(i.state)
		if !w.app.Terminal || w.o.output != "" {
			said += "\t" + i.judgement.Verdict + "\t" + w.detail(i)
		} else if !settled && i.said == "" {
			continue // the frame shows it
		}
		if said == i.said || i.judgement.Reason == notRead || w.items[i.itemKey] != i {
			continue
		}
		i.said = said
		switch {
		case w.o.output == "jsonl":
			_ = w.write(waitItemJSON{w.json(&relation.Node{ID: i.ID, Object: i.object, Judgement: i.judgement}), i.state}) // a broken pipe shows at the end
		case w.o.output != "" || len(w.items) > waitLines:
		case w.app.Terminal:
			w.erase()
			fmt.Fprintln(w.app.Out, runewidth.Truncate(strings.TrimSpace(fmt.Sprintf("%s %s  %s after %s  %s", symbolOf(i.state), w.name(i), i.state,
				seconds(now.Sub(w.start)), w.detail(i))), w.app.width(), "…"))
		default:
			fmt.Fprintf(w.app.Out, "%s\t%s\t%s\t%s\n", seconds(now.Sub(w.start)), render.Line(i.Namespace), render.Line(i.Kind+"/"+i.Name), said)
		}
	}
}

// print prints an object that is met, once, by the printer that -o asks for.
func (w *waiting) print(i *waitItem) {
	if i.printed {
		return
	}
	i.printed = true
	u := &unstructured.Unstructured{Object: map[string]any{}}
	if i.content() {
		u.Object = i.object.Content
	} else { // it does not exist, which is what is wanted
		u.SetKind(i.Kind)
		u.SetName(i.Name)
		u.SetNamespace(i.Namespace)
		if q := w.queries[i.target]; q.mapping != nil {
			u.SetGroupVersionKind(q.mapping.GroupVersionKind)
		}
	}
	var b bytes.Buffer
	if err := w.o.printer.PrintObj(u, &b); err != nil {
		fmt.Fprintf(w.app.Err, "%s: print %s/%s: %v\n", w.app.Name, i.Kind, i.Name, err)
		return
	}
	_, _ = b.WriteTo(w.app.Out) // a broken pipe shows at the end
}

func (w *waiting) touch(i *waitItem) {
	if w.report.touched == nil {
		w.report.touched = map[*waitItem]bool{}
	}
	w.report.touched[i] = true
}

func compareItems(a, b *waitItem) int {
	return cmp.Or(cmp.Compare(a.target, b.target), cmp.Compare(a.key, b.key))
}

func symbolOf(s wait.State) string {
	switch s {
	case wait.Met:
		return "✓"
	case wait.Failed, wait.Late:
		return "✗"
	}
	return "…"
}

// seconds is a duration as people say it, without fractions.
func seconds(d time.Duration) string { return d.Truncate(time.Second).String() }

// width is that of the terminal, and a usual one where it is not known.
func (a *App) width() int { return cmp.Or(a.Width, 100) }

// name is what an object is called in lines for people.
func (w *waiting) name(i *waitItem) string {
	name := render.Line(i.Kind + "/" + i.Name)
	if w.queries[i.target].Namespace == "" && i.Namespace != "" {
		name = render.Line(i.Namespace) + "  " + name
	}
	return name
}

// detail says why an object is where it is.
func (w *waiting) detail(i *waitItem) string {
	text := render.Detail(i.judgement)
	switch {
	case i.err != nil:
		text = strings.TrimSpace(i.err.Error() + "  " + text)
	case i.state == wait.Hidden:
		text = w.queries[i.target].why
	}
	return render.Line(text)
}

// redraw shows on a terminal, in one line, what is waited for; otherwise it counts where objects are too many for lines of their own. It
// gives the time by which it wants to be asked again.
func (w *waiting) redraw(d wait.Decision, now time.Time) time.Time {
	r := &w.report
	line := counted(d)
	if d.Failed > 0 {
		line += fmt.Sprintf(", %d failed", d.Failed)
	}
	if w.o.output != "" {
		return time.Time{}
	}
	if at := r.drawn.Add(waitFrame); w.app.Terminal && now.Before(at) {
		return at
	}
	if at := r.drawn.Add(waitTick); !w.app.Terminal && now.Before(at) {
		return at
	}
	r.drawn = now
	if !w.app.Terminal {
		if text := render.Line(strings.TrimPrefix(line+w.unread(), "; ")); r.counts != text && (len(w.items) > waitLines || len(w.items) == 0) {
			r.counts = text
			fmt.Fprintf(w.app.Out, "%s\t%s\n", seconds(now.Sub(w.start)), text)
		}
		return time.Time{}
	}
	line = fmt.Sprintf("waiting %s  %s", seconds(now.Sub(w.start)), render.Line(strings.TrimPrefix(line+w.unread(), "; ")))
	if text := w.stale.line(now, true); text != "" {
		line += "  " + text
	} else if i := w.first(); i != nil && i.judgement.Reason == notRead {
		line += "  reading " + w.name(i)
	} else if i := w.first(); i != nil {
		line += "  " + w.name(i) + " " + i.judgement.Verdict + "  " + w.detail(i)
	}
	w.erase()
	r.frame = runewidth.Truncate(line, w.app.width()-1, "…") // the last column is left free, or some terminals wrap
	fmt.Fprint(w.app.Out, r.frame)
	return now.Add(waitTick)
}

// erase takes the line of a terminal away.
func (w *waiting) erase() {
	if w.report.frame != "" {
		fmt.Fprint(w.app.Out, "\r\x1b[K")
		w.report.frame = ""
	}
}

// unread names the selectors that nothing is known of.
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

// first is the object that a line has room for: of those that are not met the first.
func (w *waiting) first() *waitItem {
	var first *waitItem
	for _, i := range w.items {
		if i.state != wait.Met && (first == nil || compareItems(i, first) < 0) {
			first = i
		}
	}
	return first
}
