// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/internal/catalog"
)

const (
	leaseName     = "tristate"
	leaseDuration = 15 * time.Second
)

// elect waits for the lease, leads, and returns an error when the lease is lost.
func (c *Controller) elect(ctx context.Context) error {
	identity := c.options.Identity
	if identity == "" {
		host, err := os.Hostname()
		if err != nil {
			return fmt.Errorf("identity for the lease: %w", err)
		}
		identity = host + "-" + rand.String(6)
	}
	lease := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: cmp.Or(c.options.LeaseNamespace, "tristate-system"), Name: leaseName},
		Client:     c.typed.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
	}
	holding, release := context.WithCancel(context.WithoutCancel(ctx)) // the lease is held until the work has ended
	defer release()
	started := make(chan context.Context, 1)
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: touched{lease, c}, Name: leaseName, ReleaseOnCancel: true,
		LeaseDuration: leaseDuration, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { started <- ctx },
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return fmt.Errorf("leader election: %w", err)
	}
	released := make(chan struct{})
	go func() {
		defer close(released)
		elector.Run(holding)
	}()
	end := func() {
		release()
		<-released
	}
	select {
	case <-ctx.Done():
		end()
		return nil
	case leading := <-started:
		c.log.Info("leading", "identity", identity)
		working, stop := context.WithCancel(leading)
		defer context.AfterFunc(ctx, stop)()
		defer stop()
		c.lead(working)
		end()
		c.log.Info("no longer leading", "identity", identity)
		if ctx.Err() == nil {
			return errors.New("the lease was lost")
		}
		return nil
	}
}

// contact is the result of the last request for the lease.
type contact struct {
	at  time.Time // of the last one that succeeded
	err error
}

// touched notes the results of requests for a lease, for /readyz.
type touched struct {
	resourcelock.Interface
	c *Controller
}

func (t touched) note(err error) {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if t.c.lease.err = err; err == nil {
		t.c.lease.at = time.Now()
	}
}

// Get is a method of resourcelock.Interface. A lease that is not there yet is no failure: it is created next.
func (t touched) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	record, raw, err := t.Interface.Get(ctx)
	if !apierrors.IsNotFound(err) {
		t.note(err)
	}
	return record, raw, err
}

// Create is a method of resourcelock.Interface. That another replica was first is no failure.
func (t touched) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	err := t.Interface.Create(ctx, record)
	if !apierrors.IsAlreadyExists(err) {
		t.note(err)
	}
	return err
}

// Update is a method of resourcelock.Interface. That another replica was first is no failure.
func (t touched) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	err := t.Interface.Update(ctx, record)
	if !apierrors.IsConflict(err) {
		t.note(err)
	}
	return err
}

// Rules returns the permissions that a controller with such options needs, and no more: to list and watch the kinds that it manages and those
// that their relations name, to write the status of those it manages, to record events and to hold its lease. plural returns the
// resource of a kind. Kinds that only references of objects name are not known beforehand.
func Rules(o Options, plural func(schema.GroupKind) string) ([]rbacv1.PolicyRule, error) {
	o.Manager = cmp.Or(o.Manager, apply.Manager)
	set, err := narrow(o.Catalogs.Compiled, &o, map[*catalog.Kind]*catalog.Kind{})
	if err != nil {
		return nil, err
	}
	rules := []rbacv1.PolicyRule{
		{APIGroups: []string{"apiextensions.k8s.io"}, Resources: []string{"customresourcedefinitions"}, Verbs: []string{"list", "watch"}},
		{APIGroups: []string{catalogKind.Group}, Resources: []string{"conditioncatalogs"}, Verbs: []string{"list", "watch"}},
		{APIGroups: []string{catalogKind.Group}, Resources: []string{"conditioncatalogs/status"}, Verbs: []string{"patch"}},
		{APIGroups: []string{"events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create"}},
		{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"create", "get", "update"}},
	}
	for _, gk := range set.watched {
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{gk.Group}, Resources: []string{plural(gk)}, Verbs: []string{"list", "watch"}})
		if set.kinds[gk] {
			rules = append(rules,
				rbacv1.PolicyRule{APIGroups: []string{gk.Group}, Resources: []string{plural(gk)}, Verbs: []string{"get"}},
				rbacv1.PolicyRule{APIGroups: []string{gk.Group}, Resources: []string{plural(gk) + "/status"}, Verbs: []string{"patch"}})
		}
	}
	return rules, nil
}

func compareKinds(a, b schema.GroupKind) int { return strings.Compare(a.String(), b.String()) }
