// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	_ "embed" // for the table
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/declare/nested"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Change is an edit that came before a cause and can explain it. Times are those of the API server, in whole seconds.
type Change struct {
	ID              // the object that was edited
	Path     string // of the field, as in spec.template.spec.containers[web].image; empty if the object was created
	From, To any    // the values, where two revisions of the object are known; those of ConfigMaps and Secrets never are
	By       string // the field manager, with the release that it applied; empty if unknown
	At       time.Time
	Before   time.Duration // from the edit to the beginning of the trouble; 0 if that is unknown
	strong   bool          // the field is one that the reason is about
}

const (
	// changeWindow is how long before the trouble an edit may be that explains it. An edit of a template counts until its rollout is complete.
	changeWindow = time.Hour
	// changeSlack is by how much an edit may seem to be younger than the trouble, as condition times and write times are rounded.
	changeSlack = 2 * time.Second
	// mostChanges is how many changes are returned.
	mostChanges = 10
)

// Changes returns the edits that explain a cause: those of the object, of its owners and of what it refers to, by their managed fields; of
// a workload by its two last revisions; of what Helm, Flux and Argo CD applied, by their status. An edit is left out if it is younger than
// the trouble, if the object worked after it, or if its field cannot explain the reason. Those whose field the reason is about come first,
// then the last before the trouble.
func (v *View) Changes(c Cause) []Change {
	v.refreshIndexes()
	e := edits{v: v, cause: c, trouble: v.troubleOf(c), seen: map[ID]bool{}, diffed: map[ID]bool{}}
	edited := v.Edited(c)
	for _, find := range []func(*Object){e.revisions, e.managed, e.releases} {
		for _, id := range edited {
			if o := v.Graph.Get(id); o != nil {
				find(o)
			}
		}
	}
	slices.SortStableFunc(e.out, func(a, b Change) int {
		return cmp.Or(boolean(!a.strong, !b.strong), b.At.Compare(a.At), Compare(a.ID, b.ID), cmp.Compare(a.Path, b.Path))
	})
	return e.out[:min(len(e.out), mostChanges)]
}

// Edited returns the objects whose edits may explain a cause, in order: the object, its owners, those on the way to it and what it refers
// to. Some may not be in the graph.
func (v *View) Edited(c Cause) []ID {
	v.refreshIndexes()
	var out []ID
	add := func(ids ...ID) {
		for _, id := range ids {
			if !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	var up func(o *Object, depth int)
	up = func(o *Object, depth int) {
		for _, r := range o.owners() {
			owner, id := v.resolve(pointer{reference: r}, o)
			if add(id); owner != nil && depth < deepest {
				up(owner, depth+1)
			}
		}
	}
	for i := len(c.Chain) - 1; i >= 0; i-- {
		n := c.Chain[i]
		if i == len(c.Chain)-1 {
			n = c.Node
		}
		if add(n.ID); n.Object != nil {
			up(n.Object, 0)
			for _, e := range v.below(n.Object) { // the time at which a Service lost its endpoints
				if e.GroupKind == sliceKind {
					add(e.ID)
				}
			}
		}
	}
	if o := c.Node.Object; o != nil {
		for _, e := range v.below(o) {
			if (e.show == trouble || e.show == passing) && e.Object != nil {
				add(e.ID)
			}
		}
		add(v.Called(c.Node)...)
		add(v.unselected(o, c.Node.Judgement)...)
	}
	return out
}

// unselected returns the workloads whose pods a Service selected by a former template, if it has no pods now.
func (v *View) unselected(o *Object, j Judgement) (out []ID) {
	s := matching(nested.At(o.Content, "spec", "selector"))
	if o.GroupKind != serviceKind || !j.Derived() || s == nil {
		return nil
	}
	set := func(r *Object) labels.Set { return textsOf(nested.Map(templateOf(r), "metadata", "labels")) }
	for _, gk := range []schema.GroupKind{replicaSetKind, revisionKind} {
		for _, r := range v.indexed("template", gk, o.Namespace+"\x00"+selectorKey(s), func(r *Object) []string {
			keys := labelKeys(set(r))
			for i := range keys {
				keys[i] = r.Namespace + "\x00" + keys[i]
			}
			return keys
		}) {
			for _, owner := range v.Graph.Owners(r) {
				if s.Matches(set(r)) {
					out = append(out, owner.ID)
				}
			}
		}
	}
	return out
}

// refreshIndexes drops what was computed from an older state of the graph; judgements stay.
func (v *View) refreshIndexes() {
	if v.kinds == nil || v.version != v.Graph.Version() {
		judged, blamed := v.judged, v.blamed
		v.refresh()
		if judged != nil {
			v.judged, v.blamed = judged, blamed
		}
	}
}

// troubleOf returns when the trouble of a cause began; zero if nothing has the time. A pod that has crashed ever since it started is in
// trouble from its creation on; a Service without endpoints since these were written.
func (v *View) troubleOf(c Cause) (first time.Time) {
	for _, n := range c.Nodes {
		pod := n.Object != nil && n.GroupKind == podKind
		if pod || n.Object == nil || !n.Judgement.Derived() {
			first = Earliest(first, n.Judgement.Since)
		}
		if pod {
			first = Earliest(first, podTrouble(n.Object))
		}
	}
	for i := len(c.Chain) - 1; i >= 0 && first.IsZero(); i-- {
		n := c.Chain[i]
		if n.Object == nil {
			continue
		}
		for _, slice := range v.below(n.Object) {
			if current := v.Graph.Get(slice.ID); n.GroupKind == serviceKind && slice.GroupKind == sliceKind && current != nil {
				first = Earliest(first, lastWrite(current))
			}
		}
		if n != c.Node && !n.Judgement.Derived() {
			first = Earliest(first, n.Judgement.Since)
		}
	}
	return first
}

// crashPace is the longest time between two restarts of a container that always fails at once: the back-off of five minutes, and the run.
const crashPace = 6 * time.Minute

// podTrouble returns when the trouble of a pod began: at its creation if no container has run, or if one has restarted since then as often
// as the back-off allows; else when it ceased to be ready or, if that is earlier, when the back-off of its restarts must have begun. It is
// zero for a pod that is ready.
func podTrouble(pod *Object) (first time.Time) {
	status, created := nested.Map(pod.Content, "status"), createdAt(pod)
	ran := status["phase"] == "Running"
	for _, s := range slices.Concat(nested.Maps(status, "containerStatuses"), nested.Maps(status, "initContainerStatuses")) {
		last, state := nested.Map(s, "lastState", "terminated"), nested.Map(s, "state")
		ran = ran || len(last) > 0 || state["running"] != nil || state["terminated"] != nil
		finished, restarts := parsed(nested.Text(last, "finishedAt")), nested.Number(s, "restartCount")
		if restarts == 0 || finished.IsZero() {
			continue
		}
		if finished.Sub(created) <= time.Duration(restarts+2)*crashPace {
			return created
		}
		if nested.Text(state, "waiting", "reason") == "CrashLoopBackOff" {
			for delay := 10 * time.Second; restarts > 1; restarts, delay = restarts-1, min(2*delay, 5*time.Minute) {
				finished = finished.Add(-delay)
			}
			first = Earliest(first, finished)
		}
	}
	if !ran {
		return created
	}
	for _, c := range nested.Maps(status, "conditions") {
		if c["type"] == "Ready" && c["status"] == "False" {
			first = Earliest(first, parsed(nested.Text(c, "lastTransitionTime")))
		}
	}
	return first
}

// edits collects the changes before one cause.
type edits struct {
	v       *View
	cause   Cause
	trouble time.Time
	seen    map[ID]bool
	diffed  map[ID]bool // workloads whose templates were compared
	out     []Change
}

// add adds a change if it can explain the cause. open: the edit is still being rolled out, so that the time since then does not matter.
func (e *edits) add(c Change, open bool) {
	j := e.cause.Node.Judgement
	fits, strong := explained(j, c)
	known := !e.trouble.IsZero() && !c.At.IsZero()
	switch {
	case !fits, c.At.IsZero() && !open:
		return
	case known && c.At.After(e.trouble.Add(changeSlack)):
		return // younger
	case known && !open && e.trouble.Sub(c.At) > changeWindow:
		return // it worked after it
	case !known && !strong:
		return
	}
	if known {
		c.Before = max(e.trouble.Sub(c.At), 0)
	}
	c.strong = strong
	if secretive.MatchString(c.Path) {
		c.From, c.To = hiddenValue(c.From), hiddenValue(c.To)
	}
	if !slices.ContainsFunc(e.out, func(other Change) bool { return other.ID == c.ID && other.Path == c.Path }) {
		e.out = append(e.out, c)
	}
}

// secretive are the variables whose values are not shown.
var secretive = regexp.MustCompile(`(?i)env\[[^\]]*(passw|token|secret|key|credential)`)

func hiddenValue(value any) any {
	if value == nil {
		return nil
	}
	return "(hidden)"
}

//go:embed reasons.tsv
var reasonsTable string

// reasons are words in the reason of a judgement, and the last words of the fields that it is about; fields of other names do not explain
// it.
var reasons = sync.OnceValue(func() (out [][2][]string) {
	for line := range strings.Lines(reasonsTable) {
		if words, fields, found := strings.Cut(line, "\t"); found {
			out = append(out, [2][]string{strings.Fields(words), strings.Fields(fields)})
		}
	}
	return out
})

// explained reports whether the field of a change can explain a judgement, and whether the reason is about it or the message names its
// value.
func explained(j Judgement, c Change) (fits, strong bool) {
	if value, _ := c.To.(string); c.Path == "" || strings.HasPrefix(c.Path, "status.") { // it was created, or released
		return true, false
	} else if len(value) > 2 && strings.Contains(j.Message, value) {
		return true, true
	}
	own := strings.ToLower(j.Type + j.Reason)
	for _, r := range reasons() {
		if slices.ContainsFunc(r[0], func(word string) bool { return strings.Contains(own, word) }) {
			strong = slices.ContainsFunc(strings.FieldsFunc(c.Path, func(r rune) bool { return strings.ContainsRune(".[]", r) }),
				func(field string) bool { return slices.Contains(r[1], field) })
			return strong, strong
		}
	}
	return strings.HasPrefix(c.Path, "spec"), strings.Contains(j.Message, c.Path)
}

// createdAt returns when an object was created; the zero time without it.
func createdAt(o *Object) time.Time {
	return parsed(nested.Text(o.Content, "metadata", "creationTimestamp"))
}

func parsed(text string) time.Time {
	t, _ := time.Parse(time.RFC3339, text) // the zero time without one
	return t
}
