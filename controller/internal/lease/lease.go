// SPDX-License-Identifier: Apache-2.0

package lease

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/ptr"
)

// The lease of the controller.
const (
	Name          = "tristate"
	Duration      = 15 * time.Second // after which others may take a lease that is not renewed
	leaseDeadline = 10 * time.Second // after which a holder that could not renew it stops
	Retry         = 2 * time.Second
)

// errHeld is the error of a lease that another replica holds.
var errHeld = errors.New("another replica holds the lease")

// Lease is a Lease that one replica holds at a time. It follows the rules of client-go's leader election and uses the same object, without
// importing the clients of every API. Clocks of machines are not compared: a lease has expired when its content has not
// changed for its duration by the clock of the replica that wants it. Only one goroutine may use it.
type Lease struct {
	Client         dynamic.ResourceInterface
	Name, Identity string
	Note           func(error) // is called with the result of each request

	seen coordinationv1.LeaseSpec // when it was read last
	at   time.Time                // since when that is so
	held *coordinationv1.Lease    // as it was written last; nil: it has to be read first

	renewed time.Time                 // when the request that wrote it last was sent
	led     atomic.Pointer[time.Time] // the same, for any goroutine
}

// Held returns an error if this replica held the lease and may not hold it any more, because it could not renew it in time: a process that
// stood still goes on with the writes that it was about to make. Any goroutine may call it.
func (l *Lease) Held() error {
	renewed := l.led.Load()
	if renewed == nil {
		return nil
	}
	now := time.Now()
	if max(now.Sub(*renewed), now.Round(0).Sub(renewed.Round(0))) >= leaseDeadline { // one clock may stand still with the machine
		return fmt.Errorf("the lease was not renewed for %s, so that another replica may hold it: nothing is written", leaseDeadline)
	}
	return nil
}

// Hold takes the lease, or renews it, and returns nil if this replica holds it now.
func (l *Lease) Hold(ctx context.Context) error {
	if l.held != nil && l.write(ctx, l.held) == nil {
		return nil
	}
	u, err := l.Client.Get(ctx, l.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return l.write(ctx, &coordinationv1.Lease{})
	}
	l.Note(err)
	if err != nil {
		return err
	}
	stored := &coordinationv1.Lease{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, stored); err != nil {
		return err
	}
	if l.at.IsZero() || !reflect.DeepEqual(l.seen, stored.Spec) {
		l.seen, l.at = stored.Spec, time.Now()
	}
	holder, duration := ptr.Deref(stored.Spec.HolderIdentity, ""), time.Duration(ptr.Deref(stored.Spec.LeaseDurationSeconds, 0))*time.Second
	if holder != "" && holder != l.Identity && time.Since(l.at) < duration {
		return errHeld
	}
	return l.write(ctx, stored)
}

// write writes the lease with this replica as its holder, based on the stored lease.
func (l *Lease) write(ctx context.Context, stored *coordinationv1.Lease) error {
	l.held = nil
	next, now := stored.DeepCopy(), metav1.NowMicro()
	if ptr.Deref(next.Spec.HolderIdentity, "") != l.Identity {
		next.Spec.AcquireTime = &now
		if next.ResourceVersion != "" {
			next.Spec.LeaseTransitions = ptr.To(ptr.Deref(next.Spec.LeaseTransitions, 0) + 1)
		}
	}
	next.Spec.HolderIdentity, next.Spec.RenewTime, next.Spec.LeaseDurationSeconds = &l.Identity, &now, ptr.To(int32(Duration/time.Second))
	held, err := l.send(ctx, next)
	switch {
	case err == nil:
		l.held, l.renewed = held, now.Time
		l.led.Store(&now.Time)
		l.Note(nil)
	case !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err): // that another replica was first is no failure
		l.Note(err)
	}
	return err
}

// send creates the lease if it has no version yet, and otherwise updates it, unless it has changed since.
func (l *Lease) send(ctx context.Context, next *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	next.TypeMeta = metav1.TypeMeta{APIVersion: coordinationv1.SchemeGroupVersion.String(), Kind: "Lease"}
	next.Name = l.Name
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(next)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: content}
	if next.ResourceVersion == "" {
		u, err = l.Client.Create(ctx, u, metav1.CreateOptions{})
	} else {
		u, err = l.Client.Update(ctx, u, metav1.UpdateOptions{})
	}
	if err != nil {
		return nil, err
	}
	out := &coordinationv1.Lease{}
	return out, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, out)
}

// Keep renews the lease until the context ends, another replica holds it, or it could not be renewed for leaseDeadline.
func (l *Lease) Keep(ctx context.Context) {
	for Sleep(ctx, Retry) {
		attempt, cancel := context.WithDeadline(context.WithoutCancel(ctx), l.renewed.Add(leaseDeadline)) // so that release knows the result
		err := l.Hold(attempt)
		cancel()
		if errors.Is(err, errHeld) || time.Since(l.renewed) >= leaseDeadline {
			return
		}
	}
}

// Release lets another replica take the lease at once, if this one still holds it.
func (l *Lease) Release() {
	if l.held == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaseDeadline)
	defer cancel()
	now := metav1.NowMicro()
	l.held.Spec = coordinationv1.LeaseSpec{HolderIdentity: ptr.To(""), LeaseDurationSeconds: ptr.To(int32(1)), RenewTime: &now,
		AcquireTime:      &now,
		LeaseTransitions: l.held.Spec.LeaseTransitions}
	_, err := l.send(ctx, l.held)
	l.Note(err) // without it others take the lease when it has expired
}

// Sleep waits, and reports whether the context still lasts.
func Sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
