// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"maps"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/verdict"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// View walks the edges of a graph, declared or well known, from one object to the next. It keeps the edges until the graph changes, judges
// again at each call, and is for one goroutine.
type View struct {
	Graph *Graph
	Judge func(*Object) Judgement
	// Up walks to the owners of an object and to the objects that refer to it, instead of those below it.
	Up bool
	// All shows objects that are only used (configuration, accounts, classes, nodes) even if they are healthy.
	All bool
	// Counting limits Wanted to what the judgements of the roots read: children that count (see [catalog.Children]), endpoints, and what
	// conditions are derived from.
	Counting bool
	// Candidates returns the kinds that a kind without declared relations may own; nil: none. It is not called for objects that a catalog
	// refers to: such an object reports about itself.
	Candidates func(schema.GroupKind) []schema.GroupKind
	// Most bounds a tree: once it has so many objects it is not expanded further, and of an object that owns more only that many are in it
	// (see [Node.Left]); 0: there is no bound.
	Most int
	// Fine reports whether an object is known to be healthy, without decoding it: of too many owned objects those are left out first. It may
	// be nil.
	Fine func(ID) bool
	// Still saves the memory that [View.Affected] and [View.Reads] need, which are not called then.
	Still bool
	// Stop ends every walk once it returns true: what the view answers from then on is of no use. nil never does.
	Stop func() bool

	version    uint64
	edges      map[*Object][]Edge
	refs       map[*Object][]Edge // of objects that count by reference
	pointers   map[*Object][]pointer
	left       map[*Object]int // how many objects that belong to one are not in the tree
	judged     map[*Object]Judgement
	judging    map[*Object]bool               // those whose judgement has begun
	circular   bool                           // some judgements depend on which object of a circle was judged first
	blamed     map[ID]blamed                  // what the derived conditions of an object say of others
	used       map[string]corev1.ResourceList // what the pods of a node ask for
	node       []*corev1.Node
	refused    map[string][]any // why nodes take no pod of an owner
	behind     behind
	around     *expr.Around                                // what expressions ask of the graph
	one        reading                                     // of the object whose conditions are derived at the moment
	derived    map[schema.GroupVersionKind][]*catalog.Kind // whose conditions are derived when an object is read
	alike      map[string][]*Object                        // of relations that are the same for all objects of a namespace
	kept       int                                         // how many these are
	back       map[ID][]Edge
	byWord     map[string][]schema.GroupKind // kinds by the end of their name
	kinds      map[schema.GroupKind]map[schema.GroupKind]bool
	candidates map[schema.GroupKind][]schema.GroupKind // answers of Candidates
	// the keys that the judgement of an object with children depends on, see [View.Affected]
	reads   map[ID][]string
	readers map[string]map[ID]bool // the same by key
}

// Renew judges everything again, by a function of a later time or of other catalogs.
func (v *View) Renew(judge func(*Object) Judgement) {
	v.Judge, v.judged = judge, nil
}

// refresh drops what a change of the graph may have changed: judgements and edges.
func (v *View) refresh() {
	if v.judged == nil || v.version != v.Graph.Version() || v.circular {
		v.judged, v.blamed = map[*Object]Judgement{}, map[ID]blamed{}
		v.judging, v.circular = map[*Object]bool{}, false
	}
	if v.kinds == nil {
		v.kinds, v.candidates = map[schema.GroupKind]map[schema.GroupKind]bool{}, map[schema.GroupKind][]schema.GroupKind{}
		v.reads, v.readers = map[ID][]string{}, map[string]map[ID]bool{}
	} else if v.version == v.Graph.Version() {
		v.trim()
		return
	}
	v.version = v.Graph.Version()
	v.used, v.node, v.refused, v.byWord, v.behind = nil, nil, map[string][]any{}, nil, behind{}
	v.alike, v.kept, v.derived = map[string][]*Object{}, 0, map[schema.GroupVersionKind][]*catalog.Kind{}
	v.edges, v.refs, v.pointers, v.back = map[*Object][]Edge{}, map[*Object][]Edge{}, map[*Object][]pointer{}, nil
	clear(v.left)
}

// mostKept is how many edges and judgements a view keeps, as these keep their objects from being packed.
const mostKept = 2000

// trim drops the edges and judgements that are kept, if there are many.
func (v *View) trim() {
	if len(v.edges)+len(v.refs)+len(v.pointers)+len(v.judged) > mostKept {
		v.judged, v.blamed = map[*Object]Judgement{}, map[ID]blamed{}
		clear(v.edges)
		clear(v.refs)
		clear(v.pointers)
		clear(v.left)
	}
}

// Release drops the judgements and edges that are kept from one tree for the next, which keep their objects from being packed.
func (v *View) Release() {
	v.behind, v.kept = behind{}, 0
	clear(v.alike)
	clear(v.judged)
	clear(v.edges)
	clear(v.refs)
	clear(v.pointers)
	clear(v.left)
}

// owned returns the objects that an object owns, at most [View.Most], and notes how many more there are.
func (v *View) owned(o *Object) []*Object {
	return v.parts(o, identity(o.GroupKind, o.Namespace, o.Name), func(item *Object) bool { return owns(o, item) })
}

// parts returns the objects with a key that belong to an object, as owned does.
func (v *View) parts(o *Object, key string, belongs func(*Object) bool) []*Object {
	items, left := v.Graph.membersOf(key, belongs, v.Most, v.Fine)
	if left > 0 {
		if v.left == nil {
			v.left = map[*Object]int{}
		}
		v.left[o] = left
	}
	return items
}

// next returns the edges that a tree follows from an object.
func (v *View) next(o *Object) []Edge {
	if v.Stop != nil && v.Stop() {
		return nil
	}
	if v.Up {
		return v.above(o)
	}
	j := v.judge(o)
	fine := j.Fine()
	edges := slices.Concat(v.below(o), v.referred(o, j.Counting))
	edges = append(edges, v.wires(o, edges)...)
	if !fine {
		edges = append(edges, v.mentioned(o, j, edges)...)
		edges = append(edges, v.surroundings(o, j, edges)...)
		for i, e := range edges { // the words of the object prove that it does not exist
			edges[i].Missing = e.Missing || e.Object == nil && saysAbsent(j.Message, e.ID)
		}
	}
	return slices.DeleteFunc(edges, func(e Edge) bool {
		switch {
		case e.show == hidden, e.Object == nil && !e.Missing:
			return true
		case e.show == below || v.All:
			return false
		case e.show == output, v.leadsBack(e, o), e.Relation == template && v.hasPods(o):
			return true
		case fine:
			return !e.Missing || e.show != trouble || past(o)
		case e.Object != nil && o.GroupKind == podKind && e.GroupKind == nodeKind && o.Deleting: // a dead node holds its pods
			return weight(v.judge(e.Object).Verdict) < broken
		}
		if e.Object == nil {
			return false
		}
		its := v.judge(e.Object)
		if v.blames(e.ID, o.ID) { // what finds its fault here does not explain it
			return true
		}
		held := its.Verdict == verdict.Suspended && inactive(j)
		least := weight(j.Verdict)
		if o.GroupKind != podKind || e.Relation == byWords {
			least = min(least, progress) // what is broken may be below it
		}
		return weight(its.Verdict) < least && !held && !names(j.Message, e.ID)
	})
}

// hasPods reports whether an object owns pods, which then refer to what its template refers to.
func (v *View) hasPods(o *Object) bool {
	return slices.ContainsFunc(v.owned(o), func(item *Object) bool { return item.GroupKind == podKind })
}

// Want is a kind in a namespace, or in every one, of which objects are wanted.
type Want struct {
	ID
	// Aside reports that the objects are no part of a tree or a judgement, and can only explain one.
	Aside bool
}

// wants collects the kinds that a graph does not cover; aside where no part needs them.
type wants struct {
	graph *Graph
	aside map[ID]bool
}

func (w wants) part(gk schema.GroupKind, namespace string) { w.want(gk, namespace, false) }

func (w wants) reason(gk schema.GroupKind, namespace string) { w.want(gk, namespace, true) }

func (w wants) want(gk schema.GroupKind, namespace string, aside bool) {
	id := ID{GroupKind: gk, Namespace: namespace}
	if known, again := w.aside[id]; gk.Kind != "" && !w.graph.Covers(gk, namespace) && (!again || known) {
		w.aside[id] = aside
	}
}

func (w wants) sorted() []Want {
	var out []Want
	for _, id := range slices.SortedFunc(maps.Keys(w.aside), Compare) {
		out = append(out, Want{id, w.aside[id]})
	}
	return out
}

// Wanted returns the kinds that objects reached from roots may lead to and that the graph does not cover (see [Graph.Cover]), in order.
// Objects that are only used are wanted where their user is unhealthy. The caller reads them, and calls again until nothing new is wanted.
func (v *View) Wanted(roots []ID) []Want {
	v.refresh()
	want := wants{v.Graph, map[ID]bool{}}
	seen := map[ID]bool{}
	offered := map[ID]bool{} // objects whose candidate kinds are wanted
	var walk func(o *Object, declared bool)
	walk = func(o *Object, declared bool) {
		if o == nil {
			return
		}
		if v.Counting {
			v.walkCounted(o, seen, want)
			return
		}
		if !v.Up && !declared && !offered[o.ID] {
			offered[o.ID] = true
			v.wantCandidates(o, want)
		}
		if seen[o.ID] {
			return
		}
		seen[o.ID] = true
		if v.Up {
			v.wantAbove(o, want)
		} else {
			v.wantBelow(o, want)
		}
		for _, e := range v.next(o) {
			walk(e.Object, e.declared)
		}
	}
	for _, id := range roots {
		walk(v.Graph.Get(id), false)
	}
	return want.sorted()
}

// past reports whether an object is being deleted, is a pod or a job that has ended, or is scaled to 0: it needs nothing now.
func past(o *Object) bool {
	status, spec := nested.Map(o.Content, "status"), nested.Map(o.Content, "spec")
	return o.Deleting || status["phase"] == "Succeeded" || spec["replicas"] != nil && nested.Number(spec, "replicas") == 0 ||
		o.GroupKind == jobKind && status["completionTime"] != nil
}

// Needed returns the kinds, as Wanted does, that healthy objects reached from roots refer to and that the graph does not cover: what such
// an object names has to exist, and nothing else about it is asked.
func (v *View) Needed(roots []ID) []Want {
	v.refresh()
	want, seen := wants{v.Graph, map[ID]bool{}}, map[ID]bool{}
	var walk func(o *Object)
	walk = func(o *Object) {
		if o == nil || v.Up || seen[o.ID] {
			return
		}
		seen[o.ID] = true
		for _, e := range v.below(o) {
			if e.Object == nil && !e.optional && e.show == trouble && !past(o) && (e.Relation != template || !v.hasPods(o)) && v.judge(o).Fine() {
				want.reason(e.GroupKind, e.Namespace)
			}
		}
		for _, e := range v.next(o) {
			if e.Object == nil || !retired(o, e.Object) {
				walk(e.Object)
			}
		}
	}
	for _, id := range roots {
		walk(v.Graph.Get(id))
	}
	return want.sorted()
}

// walkCounted wants the children of an object that count, and those of its children.
func (v *View) walkCounted(o *Object, seen map[ID]bool, want wants) {
	counting := v.judge(o).Counting
	if seen[o.ID] {
		return
	}
	seen[o.ID] = true
	for _, kind := range v.blamed[o.ID].lacking {
		want.reason(kind.GroupKind, kind.Namespace)
	}
	if counting == nil {
		if ByEndpoints(o) {
			v.wantEndpoints(o, want)
		}
		return
	}
	v.wantCounted(o, counting, want)
	for _, e := range v.children(o, counting) {
		if e.Object != nil {
			v.walkCounted(e.Object, seen, want)
		}
	}
}

func (v *View) wantBelow(o *Object, want wants) {
	j := v.judge(o)
	uses := v.All || !j.Fine()
	if j.Counting != nil {
		v.wantCounted(o, j.Counting, want)
	}
	for gk := range v.kindsBelow(o.GroupKind) {
		want.part(gk, o.Namespace)
	}
	for _, kind := range v.blamed[o.ID].lacking {
		want.reason(kind.GroupKind, kind.Namespace)
	}
	for _, r := range v.Graph.table.of(o.GroupKind) {
		if r.Way == shares && r.item.Kind == "" && r.own(o) != "" {
			for _, w := range v.members(r, o) {
				want.part(w.GroupKind, w.Namespace)
			}
		}
	}
	for _, e := range v.below(o) {
		switch {
		case e.Object != nil:
		case e.show == below:
			want.part(e.GroupKind, e.Namespace)
		case e.show != output && e.show != hidden && uses:
			want.reason(e.GroupKind, e.Namespace)
		}
	}
}

// kindsBelow returns the kinds that can be directly below one without a reference to them. The kinds below these are wanted once there is
// an object of them.
func (v *View) kindsBelow(gk schema.GroupKind) map[schema.GroupKind]bool {
	if known := v.kinds[gk]; known != nil {
		return known
	}
	out := map[schema.GroupKind]bool{}
	reach := func(gk schema.GroupKind) {
		if gk.Kind != "" {
			out[gk] = true
		}
	}
	if k := v.Graph.set.Kind(gk); k != nil {
		used := k.DerivesFrom()
		for _, l := range k.Relations {
			if l.Below || used[l.Name] {
				reach(l.Target)
			}
		}
	}
	for _, r := range v.Graph.table.of(gk) {
		if r.show == below && r.Way != refs && r.Way != inventory {
			reach(r.item)
		}
	}
	v.kinds[gk] = out
	return out
}

// wantCandidates wants the candidate kinds below an object of a kind without declared relations.
func (v *View) wantCandidates(o *Object, want wants) {
	if v.Candidates == nil || v.declared(o.GroupKind) {
		return
	}
	for _, gk := range v.candidatesOf(o.GroupKind) {
		want.reason(gk, o.Namespace)
	}
}

func (v *View) candidatesOf(gk schema.GroupKind) []schema.GroupKind {
	kinds, known := v.candidates[gk]
	if !known {
		kinds = v.Candidates(gk)
		v.candidates[gk] = kinds
	}
	return kinds
}

// members returns the kinds of the members of an inventory that are found by their marks alone, with the namespaces that may hold them.
func (v *View) members(r rule, o *Object) []ID {
	if r.mark == partOfSet {
		return applySet(o)
	}
	if v.Candidates == nil || v.Graph.set.Of(o.GroupVersionKind()) != nil || r.mark == partOfInstance {
		return nil
	}
	var out []ID
	for _, gk := range v.candidatesOf(o.GroupKind) {
		out = append(out, ID{GroupKind: gk})
	}
	return out
}

// The marks of the members of an apply set and of an instance of kro.
const (
	partOfSet      = "label:applyset.kubernetes.io/part-of"
	partOfInstance = "label:kro.run/instance-id"
)

// applySet returns the kinds of the members of an apply set. If its parent has a namespace and the annotation for further ones, which may
// be empty, the members are in these; otherwise they may be anywhere.
func applySet(o *Object) []ID {
	list := func(annotation string) []string {
		return strings.FieldsFunc(o.mark("annotations", "applyset.kubernetes.io/"+annotation), func(r rune) bool { return r == ',' || r == ' ' })
	}
	namespaces := []string{""}
	annotations := nested.Map(o.Content, "metadata", "annotations")
	if _, listed := annotations["applyset.kubernetes.io/additional-namespaces"]; listed && o.Namespace != "" {
		namespaces = append([]string{o.Namespace}, list("additional-namespaces")...)
	}
	var out []ID
	for _, word := range list("contains-group-kinds") {
		for _, namespace := range namespaces {
			out = append(out, ID{GroupKind: catalog.ParseGroupKind(word), Namespace: namespace})
		}
	}
	return out
}

func (v *View) wantAbove(o *Object, want wants) {
	for _, r := range o.owners() {
		want.part(r.GroupKind, o.Namespace)
	}
	_, template := templateLabels(o)
	for _, r := range v.Graph.table.with("") {
		switch {
		case r.self.Kind == "":
		case r.item == o.GroupKind, r.item.Kind == "" && r.Way == refs, template && r.selectsPods():
			want.reason(r.self, o.Namespace)
		}
	}
	for _, k := range v.Graph.set.Kinds() {
		for _, l := range k.Relations {
			if l.Target == o.GroupKind && k.For.Kind != catalog.AnyKind {
				want.reason(k.For, o.Namespace)
			}
		}
	}
}
