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

	"github.com/tristate/tristate/controller/internal/queue"
	"github.com/tristate/tristate/controller/internal/watchset"
	"github.com/tristate/tristate/controller/internal/writeguard"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/discovery"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/write/probe"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"k8s.io/utils/keymutex"
)

// Controller keeps the derived conditions of a cluster. Make one with [New].
type Controller struct {
	options  Options
	log      *slog.Logger
	clock    clock.WithDelayedExecution
	client   dynamic.Interface
	writer   *apply.Writer
	kinds    *watchset.Kinds
	queue    *queue.Queue
	metrics  *metrics
	events   *apply.Events
	catalogs *catalogs
	graph    *relation.Graph // of the objects that are watched
	rivals   writeguard.Rivals
	breakers *writeguard.Breakers
	writing  keymutex.KeyMutex // see turn
	gate     gate
	sweeps   atomic.Int64                    // that are under way
	narrowed map[*catalog.Kind]*catalog.Kind // what narrow made of catalogs; only New and sync touch it

	signal  chan struct{} // the watches may have to change
	pending atomic.Int64  // signals that are not worked off
	storing sync.Mutex    // held while a managed object is compared with the stored one and stored
	leading atomic.Bool

	mu       sync.RWMutex // guards what follows
	set      managed
	fields   *relation.Fields
	sources  map[schema.GroupKind]*watchset.Source
	problems map[relation.ID]string // of the last pass
	failures map[relation.ID]string // of the last write

	definitions *watchset.Source // of CustomResourceDefinitions
	lease       contact          // of a replica that waits for the lease
}

// New checks the options and connects; nothing is watched or written before Run.
func New(o Options) (*Controller, error) {
	if o.Config == nil || o.Catalogs == nil || o.Catalogs.Compiled == nil {
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
	types, err := discovery.New(config, nil)
	if err != nil {
		return nil, fmt.Errorf("controller: %w", err)
	}
	c := &Controller{options: o, log: o.Log, clock: o.Clock, client: client,
		writer:   &apply.Writer{Client: client, Manager: o.Manager, Shared: true},
		breakers: writeguard.NewBreakers(), writing: keymutex.NewHashed(turns), narrowed: map[*catalog.Kind]*catalog.Kind{},
		kinds: watchset.NewKinds(types), metrics: newMetrics(), signal: make(chan struct{}, 1),
		sources: map[schema.GroupKind]*watchset.Source{}, problems: map[relation.ID]string{}, failures: map[relation.ID]string{}}
	c.catalogs = &catalogs{controller: c, objects: map[string]*relation.Object{}}
	c.queue = queue.New(o.Clock, func(id relation.ID) int { return c.graph.Rank(id.GroupKind) })
	if _, err := c.use(o.Catalogs.Compiled); err != nil {
		return nil, fmt.Errorf("controller: %w", err)
	}
	c.metrics.registry.MustRegister(stateCollector{c})
	return c, nil
}

// use takes a set of catalogs into force. Watches and objects that the change does not affect stay as they are: see sync.
func (c *Controller) use(all *catalog.Set) (reload, error) {
	set, err := narrow(all, &c.options, c.narrowed)
	if err != nil {
		return reload{}, err
	}
	fields := relation.FieldsOf(set.Set)
	c.mu.Lock()
	change := reload{before: c.set, now: set, fieldsBefore: c.fields, fieldsNow: fields}
	c.set, c.fields = set, fields
	c.mu.Unlock()
	if c.graph == nil { // for New
		c.graph = relation.NewPacked(set.Set)
		return change, nil
	}
	c.graph.Use(set.Set)
	change.references = c.graph.References()
	return change, nil
}

// inForce returns the catalogs in force.
func (c *Controller) inForce() managed {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.set
}

// Run watches and writes until the context ends, and returns nil. With leader election it waits for its turn first; losing the lease is an
// error.
func (c *Controller) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	probe.Attach(ctx, probed{c})
	stopServing, err := c.serve()
	if err != nil {
		return err
	}
	defer stopServing()
	if c.options.DryRun == nil {
		events, stopEvents := apply.NewEvents(c.client, "tristate")
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
	defer definitions.End()
	c.changed()           // before anybody can take the controller for idle
	c.leading.Store(true) // the signal wakes who waits for it
	defer c.leading.Store(false)
	var workers sync.WaitGroup
	for range c.options.Workers {
		workers.Go(func() {
			for {
				id, ok := c.queue.Get(ctx)
				if !ok {
					return
				}
				c.judge(ctx, id)
				c.forgetIfGone(id)
				c.queue.Done(id)
			}
		})
	}
	again := c.clock.NewTimer(discoverAgain)
	defer again.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-c.signal:
			n := c.pending.Load()
			if c.sync(ctx); c.kinds.Unasked() {
				c.kinds.Refresh()
				c.sync(ctx)
			}
			if c.kinds.Unanswered() {
				again.Reset(watchset.RetryLimit)
			}
			c.pending.Add(-n)
			c.queue.Nudge()
		case <-again.C():
			next := discoverAgain
			if c.kinds.Refresh(); c.kinds.Unanswered() {
				next = watchset.RetryLimit
			}
			c.changed()
			again.Reset(next)
		}
	}
	c.queue.Close()
	workers.Wait()
	c.mu.Lock()
	sources := c.sources
	c.sources = map[schema.GroupKind]*watchset.Source{}
	c.mu.Unlock()
	for _, s := range sources {
		s.Stop()
		<-s.Done
	}
}

// changed asks for a comparison of the watches with the catalogs.
func (c *Controller) changed() {
	c.pending.Add(1)
	select {
	case c.signal <- struct{}{}:
	default:
	}
}

func (c *Controller) idle() bool {
	if !c.leading.Load() || !c.begun() || c.pending.Load() != 0 || c.sweeps.Load() != 0 || !c.queue.Idle() {
		return false
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, s := range c.sources {
		if synced, err := s.State(); !synced && err == nil {
			return false
		}
	}
	return c.pending.Load() == 0 && c.queue.Idle()
}

// begun reports whether the catalogs of the cluster are known, or cannot be.
func (c *Controller) begun() bool {
	c.gate.mu.RLock()
	begun := c.gate.begun
	c.gate.mu.RUnlock()
	if s := c.source(catalogKind); s != nil && !begun {
		_, err := s.State()
		return err != nil && !apierrors.IsForbidden(err)
	}
	return begun
}

// recheck judges every object of a managed kind once more.
func (c *Controller) recheck(gk schema.GroupKind) {
	c.enqueue(c.graph.IDs(gk)...)
}

// Managed returns the kinds that the controller writes, in order.
func (c *Controller) Managed() []schema.GroupKind {
	return slices.SortedFunc(maps.Keys(c.inForce().kinds), compareKinds)
}
