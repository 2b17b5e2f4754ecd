// SPDX-License-Identifier: Apache-2.0

// Package probe checks the endpoints of applications: HTTP and TCP.
//
// # Rules
//
//  1. An HTTP probe passes with a status from 200 to 399. Redirects are not followed, TLS is verified, the body is not read.
//  2. A TCP probe passes when the connection is accepted.
//  3. A probe has failed after Threshold failures in a row, and passes again after one success.
//  4. A probe goes to a public address, or to one that an administrator has listed: see package outbound.
//  5. The texts of failures are the same each time.
package probe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/tristate/tristate/operator/outbound"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	"k8s.io/apimachinery/pkg/types"
)

// Defaults of a [Runner].
const (
	Interval  = 30 * time.Second
	Timeout   = 5 * time.Second
	Threshold = 3

	parallel = 16
)

// Runner runs the probes of all instances.
type Runner struct {
	Interval time.Duration // 0: Interval
	Client   *http.Client  // of NewClient
	Gate     *outbound.Gate
	// Changed is called when an instance's probe has another result than before.
	Changed func(types.NamespacedName)

	mu        sync.Mutex
	instances map[types.NamespacedName]*instance
}

type instance struct {
	probes  []kit.Probe
	results map[string]kit.ProbeResult
	streak  map[string]int32
}

// Watch implements [kit.Prober].
func (r *Runner) Watch(name types.NamespacedName, probes []kit.Probe) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(probes) == 0 {
		delete(r.instances, name)
		return
	}
	if r.instances == nil {
		r.instances = map[types.NamespacedName]*instance{}
	}
	if was := r.instances[name]; was == nil || !slices.Equal(was.probes, probes) {
		r.instances[name] = &instance{probes: slices.Clone(probes), results: map[string]kit.ProbeResult{}, streak: map[string]int32{}}
	}
}

// Results implements [kit.Prober].
func (r *Runner) Results(name types.NamespacedName) map[string]kit.ProbeResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.instances[name]; i != nil {
		return maps.Clone(i.results)
	}
	return nil
}

// Start probes until the context ends.
func (r *Runner) Start(ctx context.Context) error {
	interval := r.Interval
	if interval == 0 {
		interval = Interval
	}
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for {
		r.Round(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
	}
}

// Round runs every probe once.
func (r *Runner) Round(ctx context.Context) {
	type task struct {
		name  types.NamespacedName
		of    *instance
		probe kit.Probe
	}
	var tasks []task
	r.mu.Lock()
	for name, i := range r.instances {
		for _, p := range i.probes {
			tasks = append(tasks, task{name, i, p})
		}
	}
	r.mu.Unlock()
	var all sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for _, t := range tasks {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			err := r.try(ctx, t.probe)
			if ctx.Err() == nil {
				r.took(t.name, t.of, t.probe, err)
			}
		})
	}
	all.Wait()
}

// took records the outcome of a probe.
func (r *Runner) took(name types.NamespacedName, of *instance, p kit.Probe, err error) {
	r.mu.Lock()
	if r.instances[name] != of {
		r.mu.Unlock()
		return // its probes are others by now
	}
	was, tried := of.results[p.Name]
	next := kit.ProbeResult{}
	if err == nil {
		of.streak[p.Name] = 0
	} else {
		threshold := p.Threshold
		if threshold <= 0 {
			threshold = Threshold
		}
		if of.streak[p.Name]++; of.streak[p.Name] >= threshold {
			next = kit.ProbeResult{Failed: true, Reason: err.Error()}
		} else if !tried {
			r.mu.Unlock()
			return // neither passed nor failed yet
		} else {
			next = was
		}
	}
	of.results[p.Name] = next
	changed := !tried || was != next
	r.mu.Unlock()
	if changed && r.Changed != nil {
		r.Changed(name)
	}
}

// try runs a probe.
func (r *Runner) try(ctx context.Context, p kit.Probe) error {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	if p.TCP != "" {
		connection, err := r.Gate.Dial(ctx, "tcp", p.TCP)
		if err != nil {
			return describe(err)
		}
		return connection.Close()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL, nil)
	if err != nil {
		return errors.New("the URL is not valid")
	}
	response, err := r.Client.Do(request)
	if err != nil {
		return describe(err)
	}
	response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode > 399 {
		return fmt.Errorf("it answered %d", response.StatusCode)
	}
	return nil
}

// NewClient returns the client of the probes, which connects to what a gate allows. The certificates of the endpoints are verified
// by authorities; nil: the system's.
func NewClient(gate *outbound.Gate, authorities *x509.CertPool) *http.Client {
	return &http.Client{Transport: gate.Transport(&http.Transport{DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12}}),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// describe returns the cause of a failure without addresses.
func describe(err error) error {
	var (
		number syscall.Errno
		dns    *net.DNSError
		closed *outbound.RefusedError
	)
	switch {
	case errors.As(err, &closed):
		return closed
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("it did not answer in time")
	case errors.As(err, &dns):
		return errors.New("its name cannot be resolved")
	case errors.As(err, &number):
		return errors.New(number.Error())
	}
	return errors.New("the connection failed")
}
