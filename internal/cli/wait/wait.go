// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tristate/tristate/internal/cli/view"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"
	"github.com/tristate/tristate/internal/fleet/render"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/partial"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/wait"
	"github.com/tristate/tristate/verdict"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
)

// waiting is one wait: it puts the events of watches into the machine and acts on its decisions.
type waiting struct {
	app     *app.App
	o       *options
	set     *catalog.Set
	engine  *verdict.Engine
	below   below
	causes  causes
	machine *wait.Machine
	start   time.Time
	queries []query
	items   map[itemKey]*item
	kept    int       // objects whose content is kept
	look    time.Time // when time alone may change a verdict; zero for never
	report  report
	stale   view.Staleness
	reading partial.Reading // of the children that count, which the outcome may depend on
	away    bool            // the server was found not to answer, without a sign of it
}

// query is one argument of the command; its index is its target.
type query struct {
	cluster.Query
	state   wait.Serving
	why     string
	mapping *meta.RESTMapping // nil while the type is not known
	again   bool              // another query asks for the same object in other words
}

// notRead is the reason of an object that was not read yet.
const notRead = "NotRead"

type itemKey struct {
	target wait.Target
	key    string // of the machine
}

// item is the state of one object.
type item struct {
	itemKey
	relation.ID
	object    *relation.Object // nil where it does not exist; without content where there is no need of it
	uid       string
	existed   bool
	replaced  bool // another object has its name: the one to wait for is gone
	judgement relation.Judgement
	state     wait.State
	printed   string // the line that was printed last
	output    bool   // it was printed by the printer of objects
	next      time.Time
	err       error
	lacks     string            // what is waited for and it does not have
	blocker   *relation.Blocker // the object below it that waiting does not mend; nil where none is known
}

func newWaiting(a *app.App, o *options, set *catalog.Set, queries []cluster.Query, now time.Time) *waiting {
	w := &waiting{app: a, o: o, set: set, engine: pack.Default(set), machine: wait.New(o.goal, now), start: now, items: map[itemKey]*item{}}
	w.below, w.causes.items = newBelow(w), map[*item]bool{}
	for _, q := range queries {
		if q.Name == "" {
			w.machine.Selected(q.Type)
		} else {
			target := w.machine.Named(q.Name)
			k := itemKey{target, q.Name}
			w.items[k] = &item{itemKey: k, state: wait.Pending, ID: relation.ID{Namespace: q.Namespace, Name: q.Name},
				judgement: relation.Judgement{Verdict: verdict.Unknown, Reason: notRead}}
			w.items[k].Kind = q.Type
		}
		w.queries = append(w.queries, query{Query: q})
	}
	return w
}

// follow waits on events until the machine decides.
func (w *waiting) follow(ctx context.Context, events <-chan cluster.Event) (wait.Decision, error) {
	for {
		now := w.app.Now()
		if !w.look.IsZero() && !now.Before(w.look) {
			w.again(now)
		}
		w.recount(now)
		w.findCauses(now)
		d := w.machine.Decide(now)
		if w.o.goal.Once && w.below.reading() {
			d.Outcome = wait.Waiting
		}
		w.print(now)
		if d.Outcome != wait.Waiting {
			return d, nil
		}
		next := relation.Earliest(relation.Earliest(w.redraw(d, now), w.causes.next()), relation.Earliest(d.Next, w.look))
		var alarm <-chan time.Time
		if !next.IsZero() {
			alarm = w.app.Alarm(next)
		}
		select {
		case e, open := <-events:
			if !open { // a wait of --timeout 0 that took too long
				if d.Outcome = wait.Interrupted; ctx.Err() == nil {
					d.Outcome, d.Why = wait.Unreachable, "the server has not answered"
				}
				return d, nil
			}
			w.take(e, w.app.Now())
			for n := len(events); n > 0; n-- { // events that have come meanwhile
				if e, open := <-events; open {
					w.take(e, w.app.Now())
				}
			}
		case <-alarm:
		case <-ctx.Done():
			d.Outcome = wait.Interrupted
			return d, nil
		}
	}
}

// take handles one event.
func (w *waiting) take(e cluster.Event, now time.Time) {
	if e.Query >= len(w.queries) { // about what judgements read
		if w.below.Take(e, false) && e.State == cluster.Forbidden && !w.below.Cache.Aside(e.Query) {
			resource := e.Mapping.Resource.GroupResource()
			w.reading.Add(partial.Part, &cluster.Error{Verb: "watch", Resource: resource.String(),
				Err: apierrors.NewForbidden(resource, "", errors.New(e.Why))})
		}
		return
	}
	q := &w.queries[e.Query]
	target := wait.Target(e.Query)
	if e.Mapping != nil && q.mapping == nil {
		q.mapping = e.Mapping
		w.same(e.Query, now)
	}
	switch {
	case q.again && (e.Object != nil || e.Gone.Name != ""):
		return
	case e.Object != nil:
		if i := w.item(target, e.Object.ID); !w.below.postpones(i, e.Object) {
			w.observe(i, e.Object, now)
		}
		return
	case e.Gone.Name != "":
		if q.Name != "" {
			w.lose(w.item(target, relation.ID{Name: q.Name}), now)
		} else if i := w.items[itemKey{target, keyOf(e.Gone)}]; i != nil {
			w.lose(i, now)
		}
		return
	}
	if w.below.Cache != nil {
		w.below.Cache.Take(e)
	}
	q.state = map[cluster.Reason]wait.Serving{cluster.Served: wait.Served, cluster.NotServed: wait.NotServed,
		cluster.Forbidden: wait.Forbidden, cluster.Unreachable: wait.Trouble}[e.State]
	q.why = e.Why
	w.stale.Take(e.Query, e.State, e.Why, now)
	if i := w.items[itemKey{target, q.Name}]; i != nil && q.Name != "" && i.object == nil {
		if q.mapping != nil {
			i.GroupKind = q.mapping.GroupVersionKind.GroupKind()
			if q.mapping.Scope.Name() == meta.RESTScopeNameRoot {
				i.Namespace = ""
			}
		}
		switch e.State {
		case cluster.Served, cluster.NotServed:
			w.lose(i, now)
		default:
			i.judgement = relation.Judgement{Verdict: verdict.Unknown, Reason: string(e.State), Message: e.Why}
		}
	}
	w.machine.Loaded(target, q.state, q.why, now)
}

// same finds a query that names the same object in other words; the later one does not count.
func (w *waiting) same(n int, now time.Time) {
	q := w.queries[n]
	for i, other := range w.queries {
		if i == n || q.Name == "" || other.Name != q.Name || other.mapping == nil ||
			other.mapping.GroupVersionKind.GroupKind() != q.mapping.GroupVersionKind.GroupKind() ||
			other.Namespace != q.Namespace && q.mapping.Scope.Name() == meta.RESTScopeNameNamespace {
			continue
		}
		later := max(i, n)
		w.queries[later].again = true
		delete(w.items, itemKey{wait.Target(later), q.Name})
		w.machine.Forget(wait.Target(later), q.Name, now)
	}
}

// keyOf returns the key of an object that a selector finds. Keys sort by namespace, name and kind.
func keyOf(id relation.ID) string {
	return id.Namespace + "\x00" + id.Name + "\x00" + id.GroupKind.String()
}

// item returns the item of an object. That of a named one exists from the start.
func (w *waiting) item(target wait.Target, id relation.ID) *item {
	k := itemKey{target, keyOf(id)}
	if name := w.queries[target].Name; name != "" {
		k.key = name
	}
	i := w.items[k]
	if i == nil {
		i = &item{itemKey: k}
		w.items[k] = i
	}
	if id.Kind != "" {
		i.ID = id
	}
	return i
}

// observe judges an object that exists.
func (w *waiting) observe(i *item, o *relation.Object, now time.Time) {
	if w.o.goal.Gone && (i.replaced || i.uid != "" && o.UID != "" && i.uid != o.UID) {
		i.replaced = true
		w.lose(i, now)
		return
	}
	i.uid, i.existed = o.UID, true
	i.judgement = w.judge(i, o, now)
	facts := w.facts(i, wait.Subject{Content: o.Content, Judgement: i.judgement, Blocker: i.blocker,
		Kind: w.set.Of(o.GroupVersionKind())}, now)
	w.o.Attribute(o, &i.judgement)
	w.keep(i, o, w.o.printer != nil && !i.output || !i.next.IsZero() && !w.below.holds(i) || !facts.Met &&
		(i.content() || w.kept < keepContents))
	w.explain(i, !facts.Met)
}

// keepContents is how many objects are kept whole because they are not met, so that their causes can be found at the end. Of the others
// only name and judgement are kept, except while time alone may change it.
const keepContents = 1000

func (i *item) content() bool { return i.object != nil && i.object.Content != nil }

// keep keeps an object, whole or by name; nil for one that does not exist.
func (w *waiting) keep(i *item, o *relation.Object, whole bool) {
	if i.content() {
		w.kept--
	}
	i.object = o
	switch {
	case o == nil:
	case whole:
		w.kept++
	default:
		i.object = &relation.Object{ID: o.ID, APIVersion: o.APIVersion, UID: o.UID}
		if w.o.output == "" {
			i.judgement.Evidence = nil
		}
	}
}

// lose handles an object that does not exist (any more).
func (w *waiting) lose(i *item, now time.Time) {
	q := &w.queries[i.target]
	w.keep(i, nil, false)
	w.below.forget(i)
	w.explain(i, false)
	if q.Name == "" && !w.o.goal.Gone {
		delete(w.items, i.itemKey)
		w.machine.Forget(i.target, i.key, now)
		return
	}
	message := "does not exist"
	switch {
	case q.state == wait.NotServed:
		message = q.why
	case i.existed:
		message = "was deleted"
	}
	i.judgement = relation.Judgement{Verdict: verdict.NotFound, Message: message}
	w.facts(i, wait.Subject{Judgement: i.judgement}, now)
}

// facts evaluates the expressions of the wait on an object and passes the result to the machine.
func (w *waiting) facts(i *item, s wait.Subject, now time.Time) wait.Facts {
	s.Now, s.Existed = now, i.existed
	facts, next, err := w.o.test.Facts(s)
	i.next, i.err, i.lacks = next, err, w.o.test.Lacks(s)
	w.look = relation.Earliest(w.look, next)
	w.machine.Observe(i.target, i.key, facts, now)
	w.touch(i)
	return facts
}

// again judges those objects again whose verdict may have changed with time.
func (w *waiting) again(now time.Time) {
	w.look = time.Time{}
	for _, i := range w.items {
		switch {
		case i.next.IsZero():
		case !i.next.After(now) && i.object != nil:
			w.observe(i, w.below.object(i), now)
		case w.look.IsZero() || i.next.Before(w.look):
			w.look = i.next
		}
	}
}

// onceTimeout is how long a server may take to answer a wait that looks once.
const onceTimeout = 30 * time.Second

// run waits. The timeout covers all of it: finding the types, the catalogs of the cluster, the first lists.
func run(ctx context.Context, a *app.App, o *options, queries []cluster.Query) error {
	if o.local {
		return judgeFiles(ctx, a, o, queries)
	}
	start := a.Now()
	limited, stop := ctx, context.CancelFunc(func() {})
	switch {
	case o.goal.Once:
		limited, stop = context.WithTimeout(ctx, onceTimeout)
	case o.goal.Timeout > 0:
		limited, stop = context.WithTimeout(ctx, o.goal.Timeout)
	}
	defer stop()
	c, err := o.Connect(ctx, a)
	if err != nil {
		return err
	}
	for i := range queries {
		queries[i].Namespace = c.Namespace
	}
	if queries, err = addDeclared(ctx, a, o, queries, c.Namespace); err != nil {
		return err
	}
	if !o.readCatalogs(limited, c) {
		if ctx.Err() != nil {
			return exit.With(exit.Interrupted, nil)
		}
		return exit.With(exit.Unknown, fmt.Errorf("%s after %s: the server has not answered", words[wait.Unreachable],
			render.Seconds(a.Now().Sub(start))))
	}
	set, err := o.Load()
	if err != nil {
		return err
	}
	w := newWaiting(a, o, set, queries, start)
	w.engine.Expect = c.Expect(limited, nil)
	watching, cancel := context.WithCancel(ctx)
	if o.goal.Once {
		watching, cancel = context.WithTimeout(ctx, onceTimeout)
	}
	defer cancel()
	w.below.Cache = c.Cache(watching, w.below.View)
	w.below.View.Still = false
	w.below.Cache.Partial = true // only objects whose judgements read others are in the graph
	w.below.Cache.Add(queries...)
	d, err := w.follow(ctx, w.below.Cache.Events)
	cancel()
	if err != nil {
		return err
	}
	if w.byTime(d) {
		if failed := c.Answers(ctx); failed != nil {
			d.Outcome, d.Why, w.away = wait.Unreachable, "the server does not answer any more", true
		}
	}
	return w.end(ctx, c, nil, d)
}

// byTime reports whether a wait was ended by time rather than by an event: then the server may be away without a sign, as where a
// connection is dead but not closed.
func (w *waiting) byTime(d wait.Decision) bool {
	switch d.Outcome {
	case wait.TimedOut, wait.Stuck, wait.Broken, wait.NotFound, wait.Unknowable:
		return !w.o.goal.Once
	case wait.Reached:
		return w.o.goal.StableFor > 0
	}
	return false
}

// readCatalogs adds the catalogs of a cluster, and reports whether it answered before ctx ended: discovery cannot be given up by itself.
func (o *options) readCatalogs(ctx context.Context, c *cluster.Cluster) bool {
	found := make(chan flags.Catalogs, 1)
	go func() {
		f := o.Catalogs
		f.FoundInCluster(ctx, c)
		found <- f
	}()
	select {
	case o.Catalogs = <-found:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
