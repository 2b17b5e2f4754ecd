// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/tristate/tristate/controller/internal/lease"

	coordinationv1 "k8s.io/api/coordination/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/internal/declare/catalog"
)

// elect waits for the lease, leads, and returns an error when the lease is lost.
func (c *Controller) elect(ctx context.Context) error {
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("identity for the lease: %w", err)
	}
	identity := host + "-" + rand.Text()[:6]
	leases := c.client.Resource(coordinationv1.SchemeGroupVersion.WithResource("leases")).Namespace(cmp.Or(c.options.LeaseNamespace,
		"tristate-system"))
	l := &lease.Lease{Client: leases, Name: lease.Name, Identity: identity, Note: c.contacted}
	for l.Hold(ctx) != nil {
		if !lease.Sleep(ctx, lease.Retry) {
			return nil
		}
	}
	c.writer.May = l.Held
	c.log.Info("leading", "identity", identity)
	working, stop := context.WithCancel(ctx)
	defer stop()
	holding, release := context.WithCancel(context.WithoutCancel(ctx)) // the lease is held until the work has ended
	defer release()
	released := make(chan struct{})
	go func() {
		defer close(released)
		l.Keep(holding)
		stop()
		l.Release()
	}()
	c.lead(working)
	release()
	<-released
	c.log.Info("no longer leading", "identity", identity)
	if ctx.Err() == nil {
		return errors.New("the lease was lost")
	}
	return nil
}

// contact is the result of the last request for the lease.
type contact struct {
	at  time.Time // of the last one that succeeded
	err error
}

// contacted notes the result of a request for the lease, for /readyz.
func (c *Controller) contacted(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lease.err = err; err == nil {
		c.lease.at = time.Now()
	}
}

// Rules returns exactly the permissions that a controller with these options needs. It lists and watches the kinds that
// it manages and those that their relations name, writes the status of managed kinds, records events and holds its
// lease. plural returns the resource of a kind. Kinds that only references of objects name are not known beforehand.
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
