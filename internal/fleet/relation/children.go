// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ChildrenNotRead is the doubt about an object whose children count and that was judged alone.
const ChildrenNotRead = "its children count, and they were not read"

// Judgement returns the judgement of an object of the graph. Where its children count (see [catalog.Children]) the worst of them takes
// part. A child with the verdict Unknown, and children that were not read, are doubts. A Service that selects pods, and an Ingress, are
// Degraded without a ready endpoint.
func (v *View) Judgement(o *Object) Judgement {
	v.refresh()
	return v.judge(o)
}

// judge is Judgement for one walk, in which each object is judged once. In a circle the object that was reached first is judged alone by
// the others.
func (v *View) judge(o *Object) Judgement {
	j, known := v.judged[o]
	v.circular = v.circular || known && v.judging[o]
	if !known && (v.Stop == nil || !v.Stop()) {
		v.forget(o.ID)
		j = v.Judge(o)
		v.judged[o], v.judging[o] = j, true
		if j.Counting != nil {
			j = v.counted(o, j)
			v.judged[o] = j
		} else if ByEndpoints(o) {
			j = v.served(o, j)
			v.judged[o] = j
		}
		if j.Rule != "kstatus" { // exactly the answers of kstatus
			j = v.wired(o, j)
			if o.Deleting {
				j = withWords(o, j)
			}
			v.judged[o] = j
		}
		delete(v.judging, o)
	}
	return j
}

// counted returns the judgement of an object with the part that its children take in it.
func (v *View) counted(o *Object, own Judgement) Judgement {
	j := own
	if j.Verdict != verdict.Current && j.Verdict != verdict.Degraded && j.Verdict != verdict.InProgress {
		return j
	}
	j.Contradictions = slices.DeleteFunc(slices.Clone(own.Contradictions), func(d string) bool { return d == ChildrenNotRead })
	var worst Edge
	var its Judgement
	takes, more := own.Verdict, 0
	v.note(o, own.Counting)
	read := map[schema.GroupKind]bool{}
	for _, e := range v.children(o, own.Counting) {
		read[e.GroupKind] = true
		c := missing(e.Relation)
		if e.Object != nil {
			c = v.judge(e.Object)
			j.NextLook = Earliest(j.NextLook, c.NextLook)
		}
		as := takenOver(own, c)
		switch {
		case as == "":
			if c.Verdict == verdict.Unknown {
				j.Contradictions = append(j.Contradictions, fmt.Sprintf("nothing is known of %s/%s, which counts", e.Kind, e.Name))
			}
			continue
		case severer(as, takes):
			worst, its, takes, more = e, c, as, 0
		case as == takes && worst.Name != "":
			more++
		}
	}
	if worst.Name == "" {
		if unread := v.unread(o, own.Counting, read); unread != "" && own.Verdict != verdict.InProgress {
			j.Contradictions = append(j.Contradictions, unread)
		}
		return j
	}
	if own.Verdict == verdict.Current {
		j.Contradictions = append([]string{"its own conditions alone make it Current"}, j.Contradictions...)
	}
	j.Overdue = j.Overdue && takes == verdict.InProgress
	j.Verdict, j.Rule, j.Ready = takes, own.Counting.Rule(), own.Ready && takes == verdict.Degraded
	j.Reason = "Child" + string(takes)
	j.Message = fmt.Sprintf("%s/%s is %s", worst.Kind, worst.Name, its.Verdict)
	if text := its.Message; text != "" {
		j.Message += ": " + text
	} else if its.Reason != "" {
		j.Message += ": " + its.Reason
	}
	if more > 0 {
		j.Message += fmt.Sprintf(", and %d more", more)
	}
	j.Type, j.Status, j.Severity, j.Remedy, j.Own = "", "", its.Severity, "", false
	if !its.Since.IsZero() {
		j.Since = its.Since
	}
	return j
}

// takenOver returns the status that an object takes over from a child; empty if the child changes nothing. A child does not make an object
// in progress Failed while it reports about an older generation: the controller may be about to correct the child.
func takenOver(own, child Judgement) verdict.Status {
	switch status := child.Verdict; status {
	case verdict.Failed:
		if own.Reason != "GenerationNotObserved" {
			return status
		}
	case verdict.Degraded:
		if own.Verdict == verdict.Current {
			return status
		}
	case verdict.InProgress, verdict.Terminating, verdict.NotFound:
		if own.Verdict == verdict.Current {
			return verdict.InProgress
		}
	}
	return ""
}

// severer reports whether one status is worse than another. A child in progress outranks one that is Degraded: the object is not ready.
func severer(a, b verdict.Status) bool {
	if a == verdict.InProgress && b == verdict.Degraded || a == verdict.Degraded && b == verdict.InProgress {
		return a == verdict.InProgress
	}
	return a.Worse(b)
}

// Earliest returns the earlier of two times; the zero time is none.
func Earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// children returns the edges to the children of an object that count and that exist or are known to be missing.
func (v *View) children(o *Object, counting *catalog.Counting) []Edge {
	var related map[string]any
	if counting.Where != nil && len(counting.Reads()) > 0 {
		related = v.relatedTo(counting, o)
	}
	return slices.DeleteFunc(slices.Concat(v.below(o), v.referred(o, counting)), func(e Edge) bool {
		switch {
		case !e.part, e.Object == nil && !e.Missing:
			return true
		case counting.Where == nil || e.Object == nil:
			return false
		}
		c := &expr.Context{}
		counts, err := counting.Where.Bool(c, expr.Values{Self: o.Content, Item: e.Object.Content, Related: related,
			Variables: counting.Kind.VariablesOf(o.Content, c)})
		return err == nil && !counts
	})
}

// byRef is why an object is below one that counts it by reference.
const byRef = "reference"

// referred returns the edges to the objects that count by reference and that no other edge of the object leads to.
func (v *View) referred(o *Object, counting *catalog.Counting) []Edge {
	if counting == nil || counting.Refs == nil {
		return nil
	}
	if edges, known := v.refs[o]; known {
		return edges
	}
	c := &expr.Context{}
	value, err := counting.Refs.Eval(c, expr.Values{Self: o.Content, Related: v.relatedTo(counting, o),
		Variables: counting.Kind.VariablesOf(o.Content, c)})
	if err != nil {
		value = nil
	}
	seen := map[ID]bool{o.ID: true}
	for _, e := range v.below(o) {
		seen[e.ID] = true
	}
	var out []Edge
	for _, r := range references(native(value), schema.GroupKind{}) {
		item, id := v.resolve(pointer{reference: r}, o)
		if item != nil {
			id = item.ID
		}
		if !seen[id] {
			seen[id] = true
			out = append(out, Edge{ID: id, Relation: byRef, Object: item, Missing: item == nil && v.Graph.covered(id), show: below, part: true})
		}
	}
	v.refs[o] = out
	return out
}

// relatedTo returns the related objects that decide which children count, by relation. A relation that leads nowhere is left out.
func (v *View) relatedTo(counting *catalog.Counting, o *Object) map[string]any {
	out := map[string]any{}
	for _, l := range counting.Reads() {
		var list []any
		v.readBy(counting, l, o, func(_ ID, item *Object) {
			if item != nil {
				list = append(list, item.Content)
			}
		})
		switch {
		case !l.One:
			out[l.Name] = list
		case len(list) > 0:
			out[l.Name] = list[0]
		}
	}
	return out
}

// readBy calls found for each object that a relation leads to; with nil for one that is referred to and is not in the graph. A reference is
// followed also by a catalog for kinds that the graph knows no relations of.
func (v *View) readBy(counting *catalog.Counting, l *catalog.Link, o *Object, found func(ID, *Object)) {
	if l.Ref == nil {
		for _, item := range v.Graph.Related(o, l.Name) {
			found(item.ID, item)
		}
		return
	}
	for _, r := range references(link{Link: l, kind: counting.Kind, costs: &v.Graph.costs}.eval(l.Ref, o, nil), l.Target) {
		item, id := v.resolve(pointer{reference: r}, o)
		found(id, item)
	}
}

// unread describes the children of an object that count and that the graph does not cover; empty if it covers them. found are the kinds of
// those in the graph.
func (v *View) unread(o *Object, counting *catalog.Counting, found map[schema.GroupKind]bool) string {
	var names []string
	kinds := v.inventoried(o, counting)
	if len(found) == 0 { // a relation may lead nowhere while an inventory has members
		kinds = v.countedKinds(o, counting)
	}
	for _, w := range kinds {
		if name := w.GroupKind.String(); !found[w.GroupKind] && !v.Graph.Covers(w.GroupKind, w.Namespace) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch {
	case len(names) > 0:
		return fmt.Sprintf("children of kind %s count, and they were not read", strings.Join(names, ", "))
	case len(kinds) == 0 && len(found) == 0 && !v.Graph.coversKind():
		return ChildrenNotRead
	}
	return ""
}

// countedKinds returns the declared kinds of the children of an object: those of its inventory, then those of the relations.
func (v *View) countedKinds(o *Object, counting *catalog.Counting) []ID {
	var out []ID
	out = append(out, v.inventoried(o, counting)...)
	for _, l := range counting.Kind.Relations {
		if l.Below && l.Role != "reads" && l.Role != "writes" && l.Target.Kind != "" && l.Ref == nil {
			out = append(out, ID{GroupKind: l.Target, Namespace: o.Namespace})
		}
	}
	return out
}

// inventoried returns the kinds that the inventory of an object lists if its members count, and those of the objects that count by
// reference.
func (v *View) inventoried(o *Object, counting *catalog.Counting) []ID {
	var out []ID
	for _, e := range v.referred(o, counting) {
		out = append(out, ID{GroupKind: e.GroupKind, Namespace: e.Namespace})
	}
	for _, r := range v.Graph.table.of(o.GroupKind) {
		if r.Way == shares && r.item.Kind == "" && r.own(o) != "" {
			out = append(out, v.members(r, o)...)
		}
	}
	return out
}

// wantCounted wants the kinds of the children of an object that count, and of what decides that. Where nothing declares the kinds of its
// own children, the candidates are wanted.
func (v *View) wantCounted(o *Object, counting *catalog.Counting, want wants) {
	kinds := v.countedKinds(o, counting)
	for _, w := range kinds {
		want.part(w.GroupKind, w.Namespace)
	}
	if len(kinds) == len(v.referred(o, counting)) && v.Candidates != nil {
		for _, gk := range v.candidatesOf(o.GroupKind) {
			want.reason(gk, o.Namespace)
		}
	}
	for _, l := range counting.Reads() {
		want.reason(l.Target, o.Namespace)
	}
}
