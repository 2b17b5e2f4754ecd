// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/relation"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
)

// Options configures [New]. Config and Catalogs are needed; the zero value of the others is a sensible default.
type Options struct {
	Config   *rest.Config
	Catalogs *catalog.Set
	Log      *slog.Logger
	// Manager is the field manager that the controller writes as, and the name by which catalogs put kinds under its management.
	// Default [apply.Manager].
	Manager string
	// Manage are kinds that are managed besides those that their catalogs put under Manager. All others are only read.
	Manage []schema.GroupKind
	// Adopt are kinds whose derived types are taken over from other managers, besides those whose catalogs say it.
	Adopt []schema.GroupKind
	// DryRun is called instead of every write, with the derived conditions of an object as they are stored and as they would be. Nothing is
	// written, not even events; other objects are judged as if it were. It may be called by many goroutines at once.
	DryRun func(id relation.ID, before, after []conditions.Condition)
	// Workers is how many objects are judged and written at a time. Default 4.
	Workers int
	// MetricsAddress and HealthAddress are host:port to serve /metrics, and /healthz and /readyz, on. Empty: not served.
	MetricsAddress, HealthAddress string
	// LeaderElect makes one of several replicas work, by a lease in LeaseNamespace (default tristate-system).
	LeaderElect    bool
	LeaseNamespace string
	Identity       string // of this replica; default: host name and a random part
	Clock          clock.WithDelayedExecution
}

// Controller keeps the derived conditions of a cluster. Make one with [New].
type Controller struct {
	options  Options
	log      *slog.Logger
	clock    clock.WithDelayedExecution
	client   dynamic.Interface
	typed    kubernetes.Interface
	writer   *apply.Writer
	kinds    *kinds
	queue    *queue
	metrics  *metrics
	events   *apply.Events
	catalogs *catalogs
	memories memories
	rivals   rivals
	breakers *breakers
	gate     gate
	sweeps   atomic.Int64                    // that are under way
	slim     map[*catalog.Kind]*catalog.Kind // what narrow made of catalogs; only New and sync touch it

	signal  chan struct{} // what is watched may have to change
	pending atomic.Int64  // signals that are not worked off
	taking  sync.Mutex    // makes one step of comparing and storing what is seen of a managed object
	leading atomic.Bool

	mu       sync.RWMutex // guards what follows
	set      managed
	graph    *relation.Graph
	fields   *relation.Fields
	sources  map[schema.GroupKind]*source
	problems map[relation.ID]string // of the last pass
	failures map[relation.ID]string // of the last write

	definitions *source // of CustomResourceDefinitions
	lease       contact // of a replica that waits for the lease
}

// New checks the options and connects; nothing is watched or written before Run.
func New(o Options) (*Controller, error) {
	if o.Config == nil || o.Catalogs == nil {
		return nil, errors.New("controller: options need Config and Catalogs")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Workers <= 0 {
		o.Workers = 4
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	o.Manager = cmp.Or(o.Manager, apply.Manager)
	if err := o.checkManaged(); err != nil {
		return nil, err
	}
	config := rest.CopyConfig(o.Config)
	if config.QPS == 0 {
		config.QPS = -1 // the API server's priority and fairness limits, not the client
	}
	dialSoon(config)
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("controller: %w", err)
	}
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("controller: %w", err)
	}
	c := &Controller{options: o, log: o.Log, clock: o.Clock, client: client, typed: typed, writer: &apply.Writer{Client: client, Manager: o.Manager}, breakers: newBreakers(), slim: map[*catalog.Kind]*catalog.Kind{},
		kinds: newKinds(typed.Discovery()), metrics: newMetrics(), signal: make(chan struct{}, 1),
		sources: map[schema.GroupKind]*source{}, problems: map[relation.ID]string{}, failures: map[relation.ID]string{}, memories: memories{byID: map[relation.ID]remembered{}}}
	c.catalogs = &catalogs{controller: c, objects: map[string]*relation.Object{}}
	c.queue = newQueue(o.Clock, func(id relation.ID) int { return c.current().Rank(id.GroupKind) })
	if _, err := c.use(o.Catalogs); err != nil {
		return nil, fmt.Errorf("controller: %w", err)
	}
	c.metrics.registry.MustRegister(contestedCollector{c})
	return c, nil
}

// use goes by a set of catalogs. What the change does not bear on stays as it is: see sync.
func (c *Controller) use(all *catalog.Set) (reload, error) {
	set, err := narrow(all, &c.options, c.slim)
	if err != nil {
		return reload{}, err
	}
	fields := relation.FieldsOf(set.Set)
	c.mu.Lock()
	change := reload{before: c.set, now: set, fieldsBefore: c.fields, fieldsNow: fields}
	c.set, c.fields = set, fields
	if c.graph == nil {
		c.graph = relation.NewPacked(set.Set)
		c.mu.Unlock()
		return change, nil
	}
	graph := c.graph
	c.mu.Unlock()
	graph.Use(set.Set)
	change.references = graph.References()
	return change, nil
}

func (c *Controller) current() *relation.Graph {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.graph
}

// Run watches and writes until the context ends, then gives nil. With leader election it waits for its turn first; losing the lease is an
// error.
func (c *Controller) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stopServing, err := c.serve()
	if err != nil {
		return err
	}
	defer stopServing()
	if c.options.DryRun == nil {
		events, stopEvents := apply.NewEvents(c.typed, "tristate")
		defer stopEvents()
		c.events = events
	}
	if c.options.LeaderElect && c.options.DryRun == nil {
		return c.elect(ctx)
	}
	c.lead(ctx)
	return nil
}

// discoverAgain is how often discovery is asked: kinds that are served by aggregation come without a definition.
const discoverAgain = 30 * time.Second

// lead does the work until the context ends.
func (c *Controller) lead(ctx context.Context) {
	definitions := c.watchDefinitions(ctx)
	if definitions == nil {
		return
	}
	defer definitions.end()
	c.changed() // before anybody can take the controller for idle
	c.leading.Store(true)
	defer c.leading.Store(false)
	var workers sync.WaitGroup
	for range c.options.Workers {
		workers.Go(func() {
			for {
				id, ok := c.queue.get(ctx)
				if !ok {
					return
				}
				c.judge(ctx, id)
				c.forgetIfGone(id)
				c.queue.done(id)
			}
		})
	}
	again := time.NewTimer(discoverAgain)
	defer again.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-c.signal:
			n := c.pending.Load()
			if c.sync(ctx); c.kinds.first() {
				c.kinds.refresh()
				c.sync(ctx)
			}
			if c.kinds.unanswered() {
				again.Reset(retryLimit)
			}
			c.pending.Add(-n)
		case <-again.C:
			next := discoverAgain
			if c.kinds.refresh(); c.kinds.unanswered() {
				next = retryLimit
			}
			c.changed()
			again.Reset(next)
		}
	}
	c.queue.close()
	workers.Wait()
	c.mu.Lock()
	sources := c.sources
	c.sources = map[schema.GroupKind]*source{}
	c.mu.Unlock()
	for _, s := range sources {
		s.stop()
		<-s.done
	}
}

// changed says that what is watched may have to change.
func (c *Controller) changed() {
	c.pending.Add(1)
	select {
	case c.signal <- struct{}{}:
	default:
	}
}

// Idle waits until there is nothing left to do: every kind is listed, every object judged, every write answered and seen. A failed
// write that will be tried again keeps it waiting, a kind that cannot be listed does not.
func (c *Controller) Idle(ctx context.Context) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if c.idle() {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not idle, %d objects to judge: %w", c.queue.length(), ctx.Err())
		case <-tick.C:
		}
	}
}

func (c *Controller) idle() bool {
	if !c.leading.Load() || !c.begun() || c.pending.Load() != 0 || c.sweeps.Load() != 0 || !c.queue.idle() {
		return false
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, s := range c.sources {
		if synced, err := s.state(); !synced && err == nil {
			return false
		}
	}
	return c.pending.Load() == 0 && c.queue.idle()
}

// begun reports whether the catalogs of the cluster are known, or cannot be.
func (c *Controller) begun() bool {
	c.gate.mu.RLock()
	begun := c.gate.begun
	c.gate.mu.RUnlock()
	if s := c.source(catalogKind); s != nil && !begun {
		_, err := s.state()
		return err != nil && !apierrors.IsForbidden(err)
	}
	return begun
}

// Recheck judges every object once more.
func (c *Controller) Recheck() {
	c.mu.RLock()
	set := c.set
	c.mu.RUnlock()
	for gk := range set.kinds {
		c.recheck(gk)
	}
}

// recheck judges every object of a managed kind once more.
func (c *Controller) recheck(gk schema.GroupKind) {
	c.enqueue(c.current().IDs(gk)...)
}

// Managed returns the kinds that the controller writes, in order.
func (c *Controller) Managed() []schema.GroupKind {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.SortedFunc(maps.Keys(c.set.kinds), compareKinds)
}

// Writes counts the requests with which the controller changed, or tried to change, objects.
func (c *Controller) Writes() int { return c.writer.Writes() }

// Stats are counts since the start.
type Stats struct {
	Objects, Kinds            int // watched now
	Passes, Unchanged, Writes int
	Conflicts, Failures       int
}

// Stats returns the counts.
func (c *Controller) Stats() Stats {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return Stats{Objects: c.graph.Len(), Kinds: len(c.sources), Passes: int(c.metrics.passed.Load()),
		Unchanged: int(c.metrics.unchanged.Load()), Writes: c.writer.Writes(), Conflicts: c.writer.Conflicts(),
		Failures: int(c.metrics.failed.Load())}
}
