// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/internal/fleet/wiring"
	"github.com/tristate/tristate/verdict"
)

// derivedRule is the beginning of the rule of a judgement by a condition that is derived when the object is read; KIND.TYPE follows.
const derivedRule = "derived/"

// Derived reports whether a condition decides that is derived when the object is read, and is never written. See package wiring.
func (j Judgement) Derived() bool { return strings.HasPrefix(j.Rule, derivedRule) }

// wired returns the conditions of kinds of Kubernetes, by their names: the documents about a kind are read when an object of it is first
// judged. An error is a defect of a document.
var wired = sync.OnceValue(func() map[string]func() (*catalog.Set, error) {
	out := map[string]func() (*catalog.Set, error){}
	for kind, text := range wiring.ByKind() {
		out[kind] = sync.OnceValues(func() (*catalog.Set, error) {
			return catalog.LoadShipped(map[string][]byte{"kubernetes.yaml": text})
		})
	}
	return out
})

// blamed is what the derived conditions of an object say of others.
type blamed struct {
	edges   []Edge    // to the objects in which the fault is
	as      Judgement // what one of them is there, if it is healthy alone
	lacking []ID      // the kinds that a rule needs and that were not read
}

// derivedBy returns the catalogs whose conditions are derived when an object is read.
func (v *View) derivedBy(o *Object) []*catalog.Kind {
	gvk := o.GroupVersionKind()
	kinds, known := v.derived[gvk]
	if !known {
		kinds = v.Graph.set.ReadBy(gvk)
		if load := wired()[gvk.Kind]; load != nil {
			set, _ := load() // without the documents that are wrong, which [View.wired] reports
			kinds = slices.Concat(kinds, set.ReadBy(gvk))
		}
		v.derived[gvk] = kinds
	}
	return kinds
}

// wired returns the judgement of an object with the part that the conditions take in it that are derived when it is read, by the rules of
// package wiring.
func (v *View) wired(o *Object, own Judgement) Judgement {
	j := own
	if v.around == nil {
		v.around = &expr.Around{Refusals: v.refusals, Blocks: v.blocks, Backend: v.backend}
	}
	var defect error
	if load := wired()[o.Kind]; load != nil {
		_, defect = load()
	}
	for _, k := range v.derivedBy(o) {
		r := &v.one
		*r = reading{context: expr.Context{Now: own.Looked, Around: v.around}, v: v, kind: k, o: o, values: expr.Values{Self: o.Content}}
		for _, d := range k.Derivations {
			if cell := r.decide(d); cell != nil && k.Unhealthy(d.Type.Name, string(cell.Reason.Status)) {
				j = r.take(j, d, cell)
			}
		}
		defect = cmp.Or(defect, r.defect)
		j.NextLook = Earliest(j.NextLook, r.context.Next())
		if len(r.lacking) > 0 {
			v.blamed[o.ID] = blamed{edges: v.blamed[o.ID].edges, as: v.blamed[o.ID].as, lacking: append(v.blamed[o.ID].lacking, r.lacking...)}
		}
	}
	if defect != nil {
		j.Contradictions = append(slices.Clone(j.Contradictions), "conditions that are derived at reading are wrong: "+defect.Error())
	}
	return j
}

// reading evaluates the conditions of one catalog for one object.
type reading struct {
	v       *View
	kind    *catalog.Kind
	o       *Object
	context expr.Context
	values  expr.Values
	related map[string]any
	faulty  map[string][]Edge // by relation: the objects that do not exist, or else those that stand below self
	lacking []ID
	defect  error // of a rule that cannot be evaluated for any object
}

// decide returns the first rule that is true; nil without one. Related objects are gathered for the rules that read them, and a rule whose
// objects were not read is left out.
func (r *reading) decide(d *catalog.Derivation) *catalog.Cell {
	for i := range d.Rules {
		cell := &d.Rules[i]
		if cell.When == nil {
			return cell
		}
		if r.refuses(cell.When) || !r.gather(cell.When) || cell.Message != nil && !r.gather(cell.Message) {
			continue
		}
		ok, err := cell.When.Bool(&r.context, r.values)
		if ok && err == nil {
			return cell
		}
		if err != nil {
			r.defect = cmp.Or(r.defect, cell.When.Err())
		}
	}
	return nil
}

// refuses reports whether an expression is false already without the related objects that were not gathered yet, as most are by their first
// part.
func (r *reading) refuses(p *expr.Program) bool {
	for _, l := range r.relations(p) {
		if _, done := r.related[l.Name]; !done {
			if r.values.Related == nil {
				r.values.Related = r.related
			}
			r.variables(p)
			ok, err := p.Bool(&r.context, r.values)
			return err == nil && !ok
		}
	}
	return false
}

// variables computes the variables of the catalog if an expression reads one.
func (r *reading) variables(p *expr.Program) {
	if r.values.Variables == nil && slices.ContainsFunc(p.Names(), func(n expr.Name) bool { return n.Of == "variables" }) {
		r.values.Variables = r.kind.VariablesOf(r.o.Content, &r.context)
	}
}

// relations returns the relations that an expression reads.
func (r *reading) relations(p *expr.Program) []*catalog.Link {
	var out []*catalog.Link
	for _, name := range p.Names() {
		if l := r.kind.Relation(name.Name); name.Of == "related" && l != nil && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// gather reads the related objects of an expression, one relation after the other until it is false. It returns false if it is, or if some
// objects were not read.
func (r *reading) gather(p *expr.Program) bool {
	r.variables(p)
	for _, l := range r.relations(p) {
		if r.related == nil { // a healthy object needs none
			r.related, r.faulty = map[string]any{}, map[string][]Edge{}
		}
		if _, done := r.related[l.Name]; done {
			continue
		}
		reads := link{l, r.kind, &r.v.Graph.costs, r.values.Variables}
		objects, missing, lacking := r.v.reach(reads, r.o)
		r.v.reading(r.o.ID, reads.keysRead(r.o, objects, slices.Concat(missing, lacking)))
		if len(lacking) > 0 {
			r.lacking = append(r.lacking, lacking...)
			return false
		}
		list := make([]any, 0, len(objects)+len(missing))
		for _, o := range objects {
			list = append(list, o.Content)
		}
		for _, id := range missing {
			list = append(list, map[string]any{"absent": true, "kind": id.Kind,
				"metadata": map[string]any{"name": id.Name, "namespace": id.Namespace}})
		}
		r.related[l.Name] = list
		for _, o := range objects {
			if l.Below && len(missing) == 0 {
				r.faulty[l.Name] = append(r.faulty[l.Name], Edge{ID: o.ID, Relation: l.Name, Object: o, show: below})
			}
		}
		for _, id := range missing {
			r.faulty[l.Name] = append(r.faulty[l.Name], Edge{ID: id, Relation: l.Name, Missing: true, show: below})
		}
		if l.One && l.Ref == nil && len(objects) > 0 {
			r.related[l.Name] = objects[0].Content
		}
		if r.values.Related = r.related; r.refuses(p) {
			return false
		}
	}
	r.values.Related = r.related
	return true
}

// reach returns the objects that a relation leads to, those that it refers to and that do not exist, and the kinds with their namespaces
// that were not read.
func (v *View) reach(l link, self *Object) (objects []*Object, missing, lacking []ID) {
	if l.Ref != nil {
		for _, ref := range references(l.eval(l.Ref, self, nil), l.Target) {
			switch o, id := v.resolve(pointer{reference: ref}, self); {
			case o != nil:
				if !slices.Contains(objects, o) {
					objects = append(objects, o)
				}
			case v.Graph.coversAny() && !v.Graph.Covers(id.GroupKind, id.Namespace):
				lacking = append(lacking, ID{GroupKind: id.GroupKind, Namespace: id.Namespace})
			case id.Namespace != self.Namespace && !v.Graph.Holds(id): // it may not be a namespace, but a domain
			case v.Graph.covered(id) && !slices.Contains(missing, id):
				missing = append(missing, id)
			}
		}
		return objects, missing, lacking
	}
	of := ID{GroupKind: l.Target, Namespace: self.Namespace}
	if l.Namespace == "any" {
		of.Namespace = ""
	}
	if v.Graph.coversAny() && !v.Graph.Covers(of.GroupKind, of.Namespace) {
		lacking = append(lacking, of)
	}
	var keys []string
	matches := func(item *Object) bool { return l.match(self, item) }
	if l.Selector != nil && l.Where == nil { // read once, not for each item
		s := expr.Selector(l.eval(l.Selector, self, nil))
		if s == nil {
			return nil, nil, lacking
		}
		if l.Target == podKind && l.Labels == nil && l.Namespace != "any" {
			return v.Graph.selected(s, self.Namespace, v.Most, nil, nil), nil, lacking
		}
		keys = []string{selectorKey(s)}
		matches = func(item *Object) bool {
			return s.Matches(l.labels(item)) && (l.Namespace == "any" || self.Namespace == "" || item.Namespace == self.Namespace)
		}
	} else {
		keys = l.selfKeys(self)
	}
	name := "derived\x00" + l.kind.For.String() + "\x00" + l.Name
	alike := ""
	if l.regardless() {
		alike = name + "\x00" + strings.Join(l.namespaces(self), "\x00")
		if known, there := v.alike[alike]; there {
			return known, nil, lacking
		}
	}
	seen := map[*Object]bool{}
	for _, key := range keys {
		for _, within := range l.namespaces(self) {
			for _, item := range v.indexed(name, l.Target, within+"\x00"+key, l.keysByNamespace) {
				if !seen[item] && matches(item) {
					seen[item] = true
					objects = append(objects, item)
				}
			}
		}
	}
	if alike != "" && v.kept+len(objects) <= mostKept {
		v.alike[alike] = objects
		v.kept += len(objects)
	}
	return objects, nil, lacking
}

// keysRead returns the keys of what a relation of an object reads: of the objects that it refers to, of which some are absent or are kinds
// that were not read, or of all objects of its kind that it looks at.
func (l link) keysRead(self *Object, objects []*Object, absent []ID) []string {
	var keys []string
	switch {
	case l.Ref != nil:
		for _, o := range objects {
			keys = append(keys, o.key())
		}
		for _, id := range absent {
			if keys = append(keys, id.key()); id.Name == "" {
				keys = append(keys, kindKey(id.GroupKind, id.Namespace))
			}
		}
	case l.Where != nil && len(l.Where.Uses().Paths["item"]) == 0 && len(absent) == 0: // it is true or false of all
	case l.Namespace == "any" || self.Namespace == "":
		keys = append(keys, kindKey(l.Target, everywhere))
	default:
		keys = append(keys, kindKey(l.Target, self.Namespace), kindKey(l.Target, ""))
	}
	return keys
}

// regardless reports whether a relation leads from every object of a namespace to the same ones: it only asks something of these.
func (l link) regardless() bool {
	return l.Where != nil && l.Ref == nil && l.RefBy == nil && l.Selector == nil && l.Join() == nil && !l.Owned &&
		len(l.Where.Uses().Paths["self"]) == 0 && len(l.Where.Names()) == 0
}

// behind are the pods that [View.backend] has found last.
type behind struct {
	service ID
	pods    []any
}

// backendFields are the fields of the pods of [View.backend] that can be read.
var backendFields = func() tree {
	containers := tree{"name": nil, "image": nil, "ports": nil}
	return tree{"kind": nil, "metadata": {"name": nil, "namespace": nil, "labels": nil},
		"spec": {"containers": containers, "initContainers": containers}}
}()

// backend returns pods that a Service selects, in a list, so that those of a healthy one need not all be read: the first by name and, if
// there are pods whose names begin with that of the Service and others, the first of the kind that it is not.
func (v *View) backend(service map[string]any) []any {
	metadata := nested.Map(service, "metadata")
	id := ID{serviceKind, nested.Text(metadata, "namespace"), nested.Text(metadata, "name")}
	if v.behind.service == id {
		return v.behind.pods
	}
	out := []any{}
	if s := matching(nested.At(service, "spec", "selector")); s != nil {
		own := func(name string) bool { return strings.HasPrefix(name, id.Name+"-") }
		for _, pod := range v.Graph.selected(s, id.Namespace, 2, func(name string, before []*Object) bool {
			return len(before) == 0 || own(name) != own(before[0].Name)
		}, backendFields) {
			out = append(out, pod.Content)
		}
	}
	v.behind = behind{id, out}
	return out
}

// everywhere means all namespaces in the keys of an index.
const everywhere = "*"

// namespaces are those whose items a relation of an object may lead to: its own, and none, of cluster-scoped items.
func (l link) namespaces(self *Object) []string {
	if l.Namespace == "any" || self.Namespace == "" {
		return []string{everywhere}
	}
	return []string{self.Namespace, ""}
}

// keysByNamespace are the keys of an item in an index, each for its own namespace and for all.
func (l link) keysByNamespace(item *Object) []string {
	var out []string
	for _, key := range l.itemKeys(item) {
		if l.Namespace == "any" {
			out = append(out, everywhere+"\x00"+key)
			continue
		}
		out = append(out, item.Namespace+"\x00"+key, everywhere+"\x00"+key)
	}
	return out
}

// take returns a judgement with the part that a condition takes in it which is not healthy.
func (r *reading) take(own Judgement, d *catalog.Derivation, cell *catalog.Cell) Judgement {
	j := own
	message := ""
	if cell.Message != nil {
		var err error
		if message, err = cell.Message.String(&r.context, r.values); err != nil {
			message, r.defect = cell.Reason.Meaning, cmp.Or(r.defect, fmt.Errorf("message of %s: %w", cell.Reason.Name, err))
		}
	}
	status := verdict.Failed
	switch {
	case cell.Reason.Class == conditions.ClassSuspended && // it waits on purpose
		(own.Verdict == verdict.InProgress || own.Reason == NoEndpoints || own.Reason == "Unschedulable"):
		j.Verdict, j.Overdue, j.Reason, j.Message, j.Type, j.Status = verdict.Suspended, false, cell.Reason.Name, message, d.Type.Name,
			cell.Reason.Status
		j.Rule = derivedRule + r.kind.For.Kind + "." + d.Type.Name
		return j
	case cell.Reason.Severity == conditions.SeverityInfo:
		j.Contradictions = append(slices.Clone(j.Contradictions), strings.TrimSuffix(cell.Reason.Name+": "+message, ": "))
		return j
	case cell.Reason.Severity == conditions.SeverityWarning:
		status = verdict.Degraded
	}
	if own.Verdict == verdict.Suspended && own.Reason == cell.Reason.Name { // the condition only says more
		j.Message, j.Evidence = message, append(r.evidence(cell), own.Evidence...)
		return j
	}
	switch own.Verdict {
	case verdict.Terminating: // it still is, and the others may hold it
		j.Message = message
		r.blame(j, cell)
		return own
	case verdict.Suspended:
		return own
	}
	if own.Reason != "" && !own.Fine() {
		complaint := verdict.Complaint{Remedy: own.Remedy}
		complaint.Type, complaint.Status, complaint.Reason, complaint.Message = own.Type, own.Status, own.Reason, own.Message
		j.Others = append([]Complaint{complaint}, own.Others...)
	}
	if status.Worse(own.Verdict) {
		j.Verdict, j.Overdue = status, false
	}
	j.Ready = false
	j.Type, j.Status, j.Reason, j.Message, j.Severity = d.Type.Name, cell.Reason.Status, cell.Reason.Name, message, cell.Reason.Severity
	j.Remedy, j.Rule = cell.Reason.Remedy, derivedRule+r.kind.For.Kind+"."+d.Type.Name
	j.Evidence = append(r.evidence(cell), own.Evidence...)
	if j.Own = cell.Reason.Class == conditions.ClassTerminal; !j.Own {
		r.blame(j, cell)
	}
	return j
}

// mostEvidence is how many fields of an object are shown as the evidence of a derived condition.
const mostEvidence = 3

// evidence returns the fields of the spec of the object that a rule reads, by itself or by a variable, and that are there: those with most
// to read first.
func (r *reading) evidence(cell *catalog.Cell) []Evidence {
	paths := slices.Clone(cell.When.Uses().Paths["self"])
	for _, name := range cell.When.Names() {
		for _, variable := range r.kind.Variables {
			if name.Of == "variables" && name.Name == variable.Name {
				paths = append(paths, variable.Program.Uses().Paths["self"]...)
			}
		}
	}
	var out []Evidence
	for _, path := range paths {
		at(r.o.Content, strings.Split(path, "."), func(value any) {
			_, isMap := value.(map[string]any)
			_, isList := value.([]any)
			if (isMap || isList) && strings.HasPrefix(path, "spec.") && len(out) < mostEvidence &&
				!slices.ContainsFunc(out, func(e Evidence) bool { return e.Path == "."+path }) {
				out = append(out, Evidence{Path: "." + path, Value: value})
			}
		})
	}
	return out
}

// blame records the related objects that a rule reads, as those in which the fault is: the ones that do not exist, or else those that stand
// below the object.
func (r *reading) blame(j Judgement, cell *catalog.Cell) {
	as := Judgement{Verdict: j.Verdict, Reason: j.Reason, Message: j.Message, Severity: j.Severity, Rule: j.Rule,
		Remedy: j.Remedy}
	b := r.v.blamed[r.o.ID]
	b.as = as
	first := len(b.edges)
	for _, l := range r.relations(cell.When) {
		b.edges = append(b.edges, r.faulty[l.Name]...)
	}
	cited := func(e Edge) bool { return strings.Contains(j.Message, ": "+e.Name+",") } // as in "exceeded quota: NAME,"
	if slices.ContainsFunc(b.edges[first:], cited) {
		b.edges = append(b.edges[:first], slices.DeleteFunc(b.edges[first:], func(e Edge) bool { return !cited(e) })...)
	}
	r.v.blamed[r.o.ID] = b
}

// blames reports whether the derived conditions of an object find the fault in another one.
func (v *View) blames(id, other ID) bool {
	return slices.ContainsFunc(v.blamed[id].edges, func(e Edge) bool { return e.ID == other })
}

// wires returns the edges from an object to the others in which the fault is, by its derived conditions, but for those that it has already.
func (v *View) wires(o *Object, known []Edge) []Edge {
	return slices.DeleteFunc(slices.Clone(v.blamed[o.ID].edges), func(e Edge) bool {
		return slices.ContainsFunc(known, func(k Edge) bool {
			return k.ID == e.ID && (k.show == below || (k.show == trouble || k.show == passing) && k.Missing)
		})
	})
}

// judgeBelow returns the judgement of an object below another one. A derived condition of the other one may find the fault in an object
// that is healthy. Then it returns that fault, and the object's own judgement with the fault as a doubt.
func (v *View) judgeBelow(parent ID, e Edge) (j Judgement, own *Judgement) {
	j = v.judge(e.Object)
	b := v.blamed[parent]
	if !j.Fine() || !v.blames(parent, e.ID) {
		return j, nil
	}
	alone := j
	alone.Contradictions = append([]string{fmt.Sprintf("%s/%s finds the fault here: %s", parent.Kind, parent.Name, b.as.Message)},
		j.Contradictions...)
	fault := b.as
	fault.Since = j.Since
	return fault, &alone
}
