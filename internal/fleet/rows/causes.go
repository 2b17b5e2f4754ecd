// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// named is the object of a cause, which rows point at.
type named struct {
	key    string
	id     relation.ID // the member that has been unhealthy for longest
	source *Source
}

// Cause explains unhealthy objects of one source. It does not change once it is in the rows.
type Cause struct {
	named
	apiVersion  string
	judgement   relation.Judgement
	missing     bool
	unexplained bool
	looking     bool // kinds below it were not read yet
	worst       int  // the rank of the worst of its members and victims
	remedy      string
	members     []relation.ID // with id
	victims     []relation.ID
	called      []relation.ID // Services whose addresses it is given: what explains them explains it
}

// blame is what a source knows of causes.
type blame struct {
	stale    bool // something changed since it was computed
	unread   bool // kinds that causes lead to were not read by then
	causes   []*Cause
	computed time.Time
	took     time.Duration
	partly   string
}

// mostNodes bounds the objects of all trees that are built for one computation of causes; what is left is grouped by kind and reason.
const mostNodes = 300_000

// mostLooked is how many causes are asked whether kinds below them are still to be read.
const mostLooked = 200

// pace is the least time between two computations; after a long one it is ten times as long as that took.
const pace = 500 * time.Millisecond

// explain computes the causes again, if something changed and it is not too soon: then it returns how long to wait. The lock must be held.
func (s *Source) explain() (wait time.Duration) {
	if !s.blame.stale && !(s.blame.unread && s.roots.Cache.Read()) {
		return 0
	}
	began := time.Now()
	rest := max(pace, 10*s.blame.took)
	if s.whole != nil && s.blame.took < quiet { // a part is explained when it is asked for, and is mostly small
		rest = 0
	}
	if next := s.blame.computed.Add(rest); !s.blame.computed.IsZero() && began.Before(next) {
		return next.Sub(began)
	}
	var bad []*Row
	s.fleet.mu.RLock()
	for id := range s.roots.All() {
		if r := s.fleet.rows[key{s, id}]; r != nil && !r.Fine() {
			bad = append(bad, r)
		}
	}
	s.fleet.mu.RUnlock()
	slices.SortFunc(bad, byName)
	if s.roots.Cache != nil {
		s.follow(bad)
	}
	b := &blaming{source: s, bad: map[relation.ID]*Row{}, reached: map[relation.ID]bool{}, entries: map[string]*entry{},
		of: map[relation.ID]*entry{}}
	for _, r := range bad {
		b.bad[r.ID] = r
	}
	unread := s.roots.Cache != nil && !s.roots.Cache.Read()
	left := 0
	for _, owned := range []bool{false, true} { // objects below others come later, if they were not reached
		for _, r := range bad {
			if _, ownerBad := b.bad[r.owner]; ownerBad != owned || b.reached[r.ID] {
				continue
			}
			if b.nodes > mostNodes {
				b.alone(r)
				left++
				continue
			}
			b.add(s.walk.Build(r.ID))
		}
	}
	causes := b.causes()
	for i, c := range causes {
		c.looking = unread && i < mostLooked && s.roots.Cache.Awaits(c.id)
	}
	s.walk.Release()
	s.blame = blame{causes: causes, unread: unread, computed: time.Now(), took: time.Since(began)}
	if left > 0 {
		s.blame.partly = fmt.Sprintf("%d objects are grouped by kind and reason only: too much is unhealthy to look below each", left)
	}
	by := map[relation.ID]*named{}
	for _, c := range causes {
		name := c.named // rows must not keep the rest
		for _, list := range [][]relation.ID{c.victims, c.members} {
			for _, id := range list {
				by[id] = &name
			}
		}
	}
	for id := range s.roots.All() {
		r := s.current(id)
		if r == nil || r.cause == by[id] || r.cause != nil && by[id] != nil && r.cause.key == by[id].key {
			continue
		}
		fresh := *r
		fresh.cause = by[id]
		s.change(r, &fresh)
	}
	s.blame.stale = false
	s.beat()
	return 0
}

// mostFollowed is from how many unhealthy objects the kinds below are looked for in one computation.
const mostFollowed = 2000

// follow starts to watch the kinds below unhealthy objects.
func (s *Source) follow(bad []*Row) {
	ids := make([]relation.ID, 0, min(len(bad), mostFollowed))
	kinds := map[relation.ID]int{} // of one kind in one namespace a few are enough to know the kinds below
	for _, r := range bad {
		k := relation.ID{GroupKind: r.GroupKind, Namespace: r.Namespace}
		if kinds[k]++; kinds[k] <= 20 && len(ids) < mostFollowed {
			ids = append(ids, r.ID)
		}
	}
	if len(ids) > 0 {
		s.roots.Cache.Widen(ids)
	}
}

// entry collects equal causes.
type entry struct {
	Cause
	member, victim map[relation.ID]bool
}

// blaming computes causes.
type blaming struct {
	source  *Source
	bad     map[relation.ID]*Row
	reached map[relation.ID]bool
	entries map[string]*entry
	of      map[relation.ID]*entry // of members
	nodes   int
}

// add takes the causes of one hierarchy, and assigns its unhealthy objects to them.
func (b *blaming) add(root *relation.Node) {
	if root == nil {
		return
	}
	var here []*entry
	for _, c := range relation.Causes(root) {
		e := b.of[c.Node.ID]
		if e == nil {
			key := relation.Equal(c.Node)
			if e = b.entries[key]; e == nil {
				e = &entry{member: map[relation.ID]bool{}, victim: map[relation.ID]bool{}}
				e.Cause = b.source.causeOf(c.Node)
				e.called = b.source.walk.Called(c.Node)
				b.entries[key] = e
			} else if since := c.Node.Judgement.Since; !since.IsZero() && (e.judgement.Since.IsZero() || since.Before(e.judgement.Since)) {
				e.Cause = b.source.causeOf(c.Node)
			}
		}
		for _, n := range c.Nodes {
			e.member[n.ID], b.of[n.ID] = true, e
		}
		here = append(here, e)
	}
	known := map[relation.ID]*entry{}
	var visit func(n *relation.Node) *entry
	visit = func(n *relation.Node) *entry {
		b.nodes++
		if n.Again {
			return cmp.Or(b.of[n.ID], known[n.ID])
		}
		b.reached[n.ID] = true
		var best *entry
		for _, child := range n.Children {
			if e := visit(child); e != nil && (best == nil || slices.Index(here, e) < slices.Index(here, best)) {
				best = e
			}
		}
		if own := b.of[n.ID]; own != nil {
			best = own
		} else if best != nil && b.bad[n.ID] != nil {
			best.victim[n.ID] = true
		}
		known[n.ID] = best
		return best
	}
	visit(root)
	if len(here) > 0 && b.of[root.ID] == nil && b.bad[root.ID] != nil && known[root.ID] == nil {
		here[0].victim[root.ID] = true
	}
}

// alone takes an object as its own cause, with those of the same kind and reason.
func (b *blaming) alone(r *Row) {
	key := r.GroupKind.String() + "\x00" + string(r.Verdict) + "\x00" + r.Type + "\x00" + r.Reason
	e := b.entries[key]
	if e == nil {
		e = &entry{member: map[relation.ID]bool{}, victim: map[relation.ID]bool{}}
		e.Cause = Cause{named: named{id: r.ID, source: b.source}, apiVersion: r.apiVersion, judgement: relation.Judgement{Verdict: r.Verdict,
			Ready: r.Ready, Overdue: r.Overdue, Type: r.Type,
			Reason: r.Reason, Message: r.Message, Since: r.Since(), Rule: r.Rule}}
		b.entries[key] = e
	}
	e.member[r.ID], b.of[r.ID] = true, e
}

// causeOf copies what is shown of a cause.
func (s *Source) causeOf(n *relation.Node) Cause {
	c := Cause{named: named{id: n.ID, source: s}, judgement: n.Judgement, missing: n.Missing(), remedy: render.Advice(n),
		unexplained: relation.Silent(n)}
	if n.Object != nil {
		c.apiVersion = n.Object.APIVersion
	}
	return c
}

// causes returns what was collected: by the worst of what it explains, then by how much that is.
func (b *blaming) causes() []*Cause {
	var all []*entry
	for _, e := range b.entries {
		if len(e.member) > 0 {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(x, y *entry) int { return relation.Compare(x.id, y.id) })
	for _, e := range all { // pods that call a Service which another cause explains
		for _, other := range all {
			if e != other && slices.ContainsFunc(other.called, func(id relation.ID) bool { return e.victim[id] || e.member[id] }) {
				for id := range other.member {
					e.victim[id] = true
				}
			}
		}
	}
	out := make([]*Cause, 0, len(all))
	for _, e := range all {
		c := e.Cause
		c.key = b.source.id(c.id)
		c.worst = c.judgement.Rank()
		if c.missing {
			c.worst = 0 // as bad as what it explains
		}
		for id := range e.member {
			delete(e.victim, id)
			if r := b.bad[id]; r != nil {
				c.worst = max(c.worst, r.rank())
			}
			c.members = append(c.members, id)
		}
		for id := range e.victim {
			if r := b.bad[id]; r != nil {
				c.worst = max(c.worst, r.rank())
			}
			c.victims = append(c.victims, id)
		}
		slices.SortFunc(c.members, relation.Compare)
		slices.SortFunc(c.victims, relation.Compare)
		out = append(out, &c)
	}
	slices.SortStableFunc(out, compareCauses)
	return out
}

func compareCauses(a, b *Cause) int {
	if a.unexplained != b.unexplained {
		return map[bool]int{true: 1, false: -1}[a.unexplained]
	}
	weight := func(c *Cause) int { return len(c.victims) + len(c.members) }
	return cmp.Or(cmp.Compare(b.worst, a.worst), cmp.Compare(weight(b), weight(a)),
		a.judgement.Since.Compare(b.judgement.Since), relation.Compare(a.id, b.id))
}

// row returns the object of a cause as a row.
func (c *Cause) row(f *Fleet) api.Row {
	if r := f.Get(c.source, c.id); r != nil {
		return r.api()
	}
	return c.source.judgedRow(c.id, c.apiVersion, c.judgement).api()
}

// mostNamed is how many objects of a cause an overview names.
const mostNamed = 20

// Overview returns the causes of what a query chooses. Victims and members that the query does not choose are not
// counted; a cause without any that is left is not in it.
func (f *Fleet) Overview(q Query, limit int) api.Overview {
	all, _ := f.sorted("problems")
	counts := newCounter()
	o := api.Overview{Now: f.Clock(), Causes: []api.Cause{}}
	byCause := map[string][]*Row{}
	for _, r := range all {
		if !q.matches(r, "") {
			continue
		}
		counts.add(r)
		if r.cause != nil { // with members that are healthy
			byCause[r.cause.key] = append(byCause[r.cause.key], r)
		}
	}
	o.Counts = counts.Counts
	var shown []*Cause
	for _, s := range f.Sources() {
		s.mu.Lock()
		b := s.blame
		s.mu.Unlock()
		if b.partly != "" {
			o.Approximate = b.partly
		}
		if o.Computed.IsZero() || b.computed.Before(o.Computed) {
			o.Computed = b.computed.UTC()
		}
		for _, c := range b.causes {
			if slices.ContainsFunc(byCause[c.key], func(r *Row) bool { return !r.Fine() }) {
				shown = append(shown, c)
			}
		}
	}
	slices.SortStableFunc(shown, func(a, b *Cause) int {
		if a.unexplained != b.unexplained {
			return map[bool]int{true: 1, false: -1}[a.unexplained]
		}
		return cmp.Or(cmp.Compare(worst(byCause[b.key]), worst(byCause[a.key])), cmp.Compare(len(byCause[b.key]), len(byCause[a.key])),
			compareCauses(a, b))
	})
	for i, c := range shown {
		if i == limit {
			o.MoreCauses = len(shown) - limit
			break
		}
		o.Causes = append(o.Causes, c.api(f, byCause[c.key]))
	}
	o.Unread, o.Hidden = f.Unread(), f.hidden()
	return o
}

// worst returns the rank of the worst of some rows.
func worst(rows []*Row) int {
	out := 0
	for _, r := range rows {
		out = max(out, r.rank())
	}
	return out
}

// workload returns the topmost workload that owns a pod; any other object itself.
func (f *Fleet) workload(r *Row) *Row {
	for r.GroupKind == podKind || r.Group == "apps" || r.Group == "batch" {
		owner := f.Get(r.source, r.owner)
		if owner == nil || owner.Group != "apps" && owner.Group != "batch" {
			break
		}
		r = owner
	}
	return r
}

var podKind = schema.GroupKind{Kind: "Pod"}

// api returns a cause with those of its objects that a query chooses.
func (c *Cause) api(f *Fleet, rows []*Row) api.Cause {
	out := api.Cause{ID: c.key, Missing: c.missing, Unexplained: c.unexplained, Looking: c.looking}
	member, spaces, workloads := map[relation.ID]bool{}, map[string]bool{}, map[string]bool{}
	for _, id := range c.members {
		member[id] = true
	}
	for _, r := range rows {
		id := r.source.id(r.ID)
		if member[r.ID] {
			spaces[r.Namespace] = true
			if top := f.workload(r); c.id.GroupKind == podKind && top != r {
				workloads[top.source.id(top.ID)] = true
			}
		}
		switch {
		case r.ID == c.id:
		case member[r.ID]:
			if out.Like++; len(out.LikeIDs) < mostNamed {
				out.LikeIDs = append(out.LikeIDs, id)
			}
		case !r.Fine():
			if out.Explains++; len(out.ExplainIDs) < mostNamed {
				out.ExplainIDs = append(out.ExplainIDs, id)
			}
		}
	}
	out.Namespaces = len(spaces)
	for id := range workloads {
		out.Workload = max(out.Workload, id)
	}
	if out.Workloads = len(workloads); out.Workloads > 1 {
		out.Workload = ""
	}
	row := c.row(f)
	out.Object = &row
	describe(&out, c.judgement, c.remedy)
	return out
}

// describe adds what a judgement says to a cause.
func describe(out *api.Cause, j relation.Judgement, remedy string) {
	out.Remedy, out.Evidence, out.Field = remedy, j.Evidence, render.Field(j)
	if j.Type != "" {
		out.Condition = j.Type + " = " + string(j.Status)
	}
	if !j.NextLook.IsZero() {
		next := j.NextLook.UTC()
		out.NextLook = &next
	}
	for _, other := range j.Others {
		out.Others = append(out.Others, api.OtherCondition{Type: other.Type, Status: string(other.Status), Reason: other.Reason,
			Message: other.Message, Remedy: other.Remedy})
	}
}
