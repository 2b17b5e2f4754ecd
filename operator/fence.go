// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// renewDeadline is when a leader gives up that could not renew its lease, by default: five seconds before others may take it.
const renewDeadline = 10 * time.Second

// fence keeps a replica that was the leader from writing once it cannot know any more that it still is. A process that stood still goes on
// with the requests that it was about to send. So the age of the lease is looked at before each write.
type fence struct {
	resourcelock.Interface
	limit   time.Duration
	now     func() time.Time
	renewed atomic.Pointer[time.Time] // when the request was sent that holds the lease; nil: this replica never led
}

// Create implements [resourcelock.Interface].
func (f *fence) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return f.renew(func() error { return f.Interface.Create(ctx, record) }, record)
}

// Update implements [resourcelock.Interface].
func (f *fence) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return f.renew(func() error { return f.Interface.Update(ctx, record) }, record)
}

func (f *fence) renew(write func() error, record resourcelock.LeaderElectionRecord) error {
	sent := f.now()
	err := write()
	switch {
	case err != nil:
	case record.HolderIdentity == f.Identity():
		f.renewed.Store(&sent)
	default: // it was released
		f.renewed.Store(&time.Time{})
	}
	return err
}

// held returns an error if this replica led and may not lead any more. Both clocks count: one of them may stand still with the machine.
func (f *fence) held() error {
	renewed := f.renewed.Load()
	if renewed == nil {
		return nil
	}
	now := f.now()
	if age := max(now.Sub(*renewed), now.Round(0).Sub(renewed.Round(0))); age >= f.limit {
		return fmt.Errorf("the lease was not renewed for %s, so that another replica may lead: nothing is written", f.limit)
	}
	return nil
}

// wrap refuses requests that write while the lease is not held. The lease itself is written.
func (f *fence) wrap(base http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions
		if !reads && !strings.HasPrefix(r.URL.Path, "/apis/coordination.k8s.io/") {
			if err := f.held(); err != nil {
				return nil, err
			}
		}
		return base.RoundTrip(r)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// fenced returns the configuration of a manager that elects a leader, whose requests look at the lease. Without an election, or with a lock
// of the caller, it returns the configuration as it is.
func fenced(config *rest.Config, o *manager.Options) (*rest.Config, error) {
	if !o.LeaderElection || o.LeaderElectionResourceLockInterface != nil || o.LeaderElectionNamespace == "" {
		return config, nil
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	of := config
	if o.LeaderElectionConfig != nil {
		of = o.LeaderElectionConfig
	}
	deadline := renewDeadline
	if o.RenewDeadline != nil {
		deadline = *o.RenewDeadline
	}
	lock, err := resourcelock.NewFromKubeconfig(cmp.Or(o.LeaderElectionResourceLock, resourcelock.LeasesResourceLock),
		o.LeaderElectionNamespace, o.LeaderElectionID, resourcelock.ResourceLockConfig{Identity: host + "_" + rand.Text()},
		rest.CopyConfig(of), deadline)
	if err != nil {
		return nil, err
	}
	f := &fence{Interface: lock, limit: deadline, now: time.Now}
	o.LeaderElectionResourceLockInterface = f
	out := rest.CopyConfig(config)
	out.Wrap(f.wrap)
	return out, nil
}
