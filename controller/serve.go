// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/controller/internal/lease"
	"github.com/tristate/tristate/controller/internal/watchset"

	"github.com/tristate/tristate/internal/declare/crd"

	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/write/probe"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// serve starts the HTTP endpoints that the options ask for.
func (c *Controller) serve() (stop func(), err error) {
	var servers []*http.Server
	stop = func() {
		for _, s := range servers {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			if err := s.Shutdown(ctx); err != nil {
				c.log.Debug("stop serving", "error", err)
			}
			cancel()
		}
	}
	listen := func(address string, handler http.Handler) error {
		if address == "" {
			return nil
		}
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return fmt.Errorf("serve on %s: %w", address, err)
		}
		s := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
		servers = append(servers, s)
		go func() {
			if err := s.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				c.log.Error("serving ended", "address", address, "error", err)
			}
		}()
		return nil
	}
	health := http.NewServeMux()
	health.HandleFunc("/healthz", c.healthy)
	health.HandleFunc("/readyz", c.ready)
	if err := listen(c.options.HealthAddress, health); err != nil {
		return stop, err
	}
	if err := listen(c.options.MetricsAddress, probe.Metrics(c.metrics.registry)); err != nil {
		stop()
		return stop, err
	}
	return stop, nil
}

// healthy answers 200 as long as the process can answer. With ?verbose it lists what goes wrong at the moment: each kind that cannot be
// read, and each object that cannot be judged or written.
func (c *Controller) healthy(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, "ok")
	if !r.URL.Query().Has("verbose") {
		return
	}
	unwritten, open, unready := c.Unwritten(), c.breakers.Open(), c.unready()
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, l := range unready {
		fmt.Fprintln(w, l.text)
	}
	for _, of := range []map[relation.ID]string{c.failures, c.problems} {
		for _, id := range slices.SortedFunc(maps.Keys(of), relation.Compare) {
			fmt.Fprintf(w, "%s: %s\n", id, of[id])
		}
	}
	for _, gk := range slices.SortedFunc(maps.Keys(unwritten), compareKinds) {
		fmt.Fprintf(w, "%s: %s\n", gk, unwritten[gk])
	}
	for _, id := range slices.SortedFunc(maps.Keys(open), relation.Compare) {
		fmt.Fprintf(w, "%s: writes do not last, the next is at %s\n", id, open[id].Until.UTC().Format(time.RFC3339))
	}
}

// ready answers 200 once every kind is listed and as long as each can be watched, and names those that are not. A missing permission for a
// kind is named and answers 200: another replica would not have it either, and the kinds that may be read are at work. With leader election
// the lease has to be within reach as well; for a replica that waits for it that is all.
func (c *Controller) ready(w http.ResponseWriter, _ *http.Request) {
	missing := c.unready()
	if slices.ContainsFunc(missing, func(l lack) bool { return !l.forbidden }) {
		w.WriteHeader(http.StatusServiceUnavailable)
	} else {
		fmt.Fprintln(w, "ok")
	}
	for _, l := range missing {
		fmt.Fprintln(w, l.text)
	}
}

// lack is one reason why the controller cannot do all of its work. kind is empty where it is not about one kind.
type lack struct {
	text      string
	kind      schema.GroupKind
	forbidden bool // a permission for one of the kinds is missing
}

// Ready returns nil once every kind is listed and as long as each can be watched, and else an error that names those that are not.
func (c *Controller) Ready() error {
	var errs []string
	for _, l := range c.unready() {
		errs = append(errs, l.text)
	}
	if len(errs) > 0 {
		return errors.New(strings.Join(errs, "; "))
	}
	return nil
}

// unready returns why the controller cannot do its work, a line for each kind.
func (c *Controller) unready() []lack {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var out []lack
	add := func(text string) { out = append(out, lack{text: text}) }
	if c.options.LeaderElect && c.options.DryRun == nil {
		switch {
		case c.lease.err != nil:
			add("lease: " + c.lease.err.Error())
		case c.lease.at.IsZero():
			add("lease: not reached yet")
		case time.Since(c.lease.at) > lease.Duration:
			add("lease: not reached since " + c.lease.at.UTC().Format(time.RFC3339))
		}
		if c.definitions == nil {
			return out
		}
	}
	if c.definitions == nil {
		return []lack{{text: crd.Kind.String() + ": not listed yet"}}
	}
	for _, s := range append([]*watchset.Source{c.definitions},
		slices.SortedFunc(maps.Values(c.sources), func(a, b *watchset.Source) int { return compareKinds(a.Kind, b.Kind) })...) {
		if synced, err := s.State(); err != nil {
			l := lack{text: fmt.Sprintf("%s: %v", s.Kind, err), kind: s.Kind, forbidden: apierrors.IsForbidden(err) && s != c.definitions}
			if l.forbidden {
				l.text += " (" + watchset.Grant + ")"
			}
			out = append(out, l)
		} else if !synced {
			out = append(out, lack{text: s.Kind.String() + ": not listed yet", kind: s.Kind})
		}
	}
	if c.kinds.Unanswered() {
		add("discovery: not complete")
	}
	if !c.leading.Load() {
		add("not at work yet")
	}
	return out
}
