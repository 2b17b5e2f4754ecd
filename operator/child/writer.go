// SPDX-License-Identifier: Apache-2.0

package child

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// LabelManaged is the label that every child carries; its value is the manager, or [Writer].Label.
const LabelManaged = "app.kubernetes.io/managed-by"

// Writer writes children. Its client's cache has to hold the objects with [LabelManaged] at least, and the namespaces with it, all with
// their managed fields. Its fields are set before use; it may be used by many goroutines.
type Writer struct {
	Client  client.Client
	Live    client.Reader
	Manager string // field manager
	Label   string // value of LabelManaged; empty: Manager, which then has to be one
	Domain  string // of the annotations: DOMAIN/owner and DOMAIN/applied-hash
	Home    string // the operator's namespace, in which any owner may have children; empty: none
	Exact   bool   // content that others add to a child is removed
	// Metadata: of children that are unstructured the client's cache has the metadata alone, which is enough without [Policy].Initial.
	Metadata bool
	// Former are field managers under which an earlier release of the operator wrote the children by create, update or patch. What it owned
	// under them is the writer's. empty: none.
	Former []string

	// Inherit reports whether an owner had its children that need a claim before claims were stored: it may then have one that carries its
	// mark. nil: no owner had.
	Inherit func(owner client.Object) bool

	Metrics *Metrics             // nil: nothing is counted
	Events  events.EventRecorder // nil: there are none
	Now     func() time.Time     // nil: time.Now

	locks   [64]sync.Mutex // by child: one write of a child at a time
	mu      sync.Mutex
	written map[identity]map[reference]*record // by owner
	proved  map[reference]claim
}

// Exists reports whether a child is there.
func (c *Writer) Exists(ctx context.Context, key client.ObjectKey, into client.Object) (bool, error) {
	err := c.Client.Get(ctx, key, into)
	return err == nil, client.IgnoreNotFound(err)
}

// Ensure makes a child as desired: one server-side apply, or none where nothing has to change. It returns an [OwnedError] where the object
// is not the owner's, a [FightError] while another writer changes it again and again, and a [WriteError] where the API server refuses the
// write.
func (c *Writer) Ensure(ctx context.Context, owner, desired client.Object) error {
	return c.EnsureWith(ctx, owner, desired, Policy{})
}

// Once creates a child whose content is made once, such as a key, and returns when it was made. A Secret or ConfigMap is immutable: the API
// server refuses every other content, whoever writes it. One that exists is left as it is, and one that was deleted is made anew.
func (c *Writer) Once(ctx context.Context, owner, desired client.Object) (made time.Time, err error) {
	i, err := c.intend(owner, desired, Policy{})
	if err != nil {
		return made, err
	}
	if kind := i.ref.GroupKind(); kind.Group == "" && (kind.Kind == "Secret" || kind.Kind == "ConfigMap") {
		i.content.Object["immutable"] = true
	}
	defer c.lock(i.ref)()
	if err := c.inside(ctx, i); err != nil {
		return made, err
	}
	live := &metav1.PartialObjectMetadata{}
	live.SetGroupVersionKind(i.ref.GroupVersionKind)
	switch err := c.Live.Get(ctx, i.ref.ObjectKey, live); {
	case apierrors.IsNotFound(err):
		if err := c.Client.Create(ctx, i.content, client.FieldOwner(c.Manager)); err != nil {
			return made, &WriteError{text: fmt.Sprintf("write %s: %s", i.ref, Reason(err)), err: err}
		}
		return i.content.GetCreationTimestamp().Time, nil
	case err != nil:
		return made, unread(i, err)
	}
	return live.CreationTimestamp.Time, c.owned(ctx, i, live)
}

// Remove deletes a child if it is there, with the objects that it owns. An object that is not the owner's is left alone and no error. The
// name of a child that needs a claim is free for other owners once Remove finds that the child is gone.
func (c *Writer) Remove(ctx context.Context, owner, o client.Object) error {
	i, err := c.intend(owner, o, Policy{})
	if err != nil {
		return err
	}
	defer c.lock(i.ref)()
	existing := c.cached(i)
	exists, err := c.Exists(ctx, i.ref.ObjectKey, existing)
	if err == nil && exists {
		err = c.owned(ctx, i, existing)
	}
	switch foreign := (*OwnedError)(nil); {
	case errors.As(err, &foreign), err == nil && !exists:
		return c.release(ctx, i)
	case err != nil || !existing.GetDeletionTimestamp().IsZero():
		return err
	}
	return c.delete(ctx, i, existing, client.Preconditions{UID: ptr.To(existing.GetUID())})
}

// delete deletes an object with the objects that it owns, unless it is gone.
func (c *Writer) delete(ctx context.Context, i *intent, existing client.Object, only client.Preconditions) error {
	c.forget(i)
	err := c.Client.Delete(ctx, existing, only, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if client.IgnoreNotFound(err) != nil {
		return &WriteError{text: fmt.Sprintf("delete %s: %s", i.ref, Reason(err)), err: err}
	}
	return nil
}

// cached is what the child is read into from the client's cache.
func (c *Writer) cached(i *intent) client.Object {
	if _, dynamic := i.object.(*unstructured.Unstructured); dynamic && c.Metadata {
		return i.blank()
	}
	return i.object.DeepCopyObject().(client.Object)
}

// Applied reports whether a live object is the result of applying desired: the content that an Ensure of it would apply is the content that
// was applied last, whatever others have changed since.
func (c *Writer) Applied(owner, desired, live client.Object) bool {
	i, err := c.intend(owner, desired, Policy{})
	return err == nil && live.GetAnnotations()[c.annotationHash()] == i.hash
}

// create applies an object that the cache does not have.
func (c *Writer) create(ctx context.Context, i *intent) error {
	known := c.recall(i)
	if known != nil { // it was there before
		if err := c.held(i, known); err != nil {
			return err
		}
	}
	if c.needsClaim(i) {
		if exists, err := c.begin(ctx, i); err != nil {
			return err
		} else if exists {
			return c.updateLive(ctx, i)
		}
	}
	made, err := c.apply(ctx, i, "", onlyNew)
	if err == nil && c.needsClaim(i) {
		err = c.stake(ctx, i, claim{of: i.of, uid: made.GetUID()}, "")
	}
	if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
		if err == nil && known != nil {
			c.repaired(i, "deleted", nil)
		}
		return err
	}
	// The cache is behind, or others have removed the label that it selects by, or the object is not ours.
	return c.updateLive(ctx, i)
}

// updateLive is update of the object as the API server has it.
func (c *Writer) updateLive(ctx context.Context, i *intent) error {
	live := i.blank()
	switch err := c.Live.Get(ctx, i.ref.ObjectKey, live); {
	case apierrors.IsNotFound(err) && i.again(): // it was deleted in the meantime
		return c.create(ctx, i)
	case err != nil:
		return unread(i, err)
	}
	return c.update(ctx, i, live, true)
}

// attempts is how often a change of the version that was read is made before its conflict is an error.
const attempts = 5

// again reports whether a change that met a conflict is to be made once more.
func (i *intent) again() bool {
	i.attempts++
	return i.attempts < attempts
}

// update applies an object that exists, if something has to change. exact reports that the object was read from the API server just now.
func (c *Writer) update(ctx context.Context, i *intent, existing client.Object, live bool) error {
	if err := c.owned(ctx, i, existing); err != nil {
		return err
	}
	if !existing.GetDeletionTimestamp().IsZero() {
		return fmt.Errorf("%s is being deleted", i.ref)
	}
	if c.reported(i, existing) {
		return nil
	}
	known := c.recall(i)
	additions := c.additions(existing)
	// After a restart only the annotation says whether the last content was the same; it counts repairs, and decides nothing.
	before, same := existing.GetResourceVersion(), existing.GetAnnotations()[c.annotationHash()] == i.hash
	if known != nil && known.uid == existing.GetUID() && known.hash == i.hash {
		if !live && known.newer(existing) { // the cache does not have the last write yet
			return nil
		}
		kept, err := c.kept(ctx, i, known, existing)
		if err != nil || kept && len(additions) == 0 {
			return err
		}
		if err := c.held(i, known); err != nil {
			return err
		}
		same = true
	}
	if len(additions) > 0 {
		absorbed, err := c.absorb(ctx, i, existing, additions)
		if err != nil {
			return err
		}
		existing = absorbed
	}
	existing, err := c.succeed(ctx, i, existing)
	if apierrors.IsConflict(err) && i.again() {
		return c.updateLive(ctx, i)
	}
	if err != nil {
		return err
	}
	kept, err := c.initial(i.content.Object, i.policy, existing)
	if err != nil {
		return err
	}
	version := ""
	if kept || !c.marked(i, existing) { // nothing says that it, or a value, is ours but what was just read
		version = existing.GetResourceVersion()
	}
	after, err := c.apply(ctx, i, existing.GetUID(), version)
	if apierrors.IsConflict(err) {
		if version != "" && i.again() {
			return c.updateLive(ctx, i)
		}
		c.forget(i) // it was replaced; the watch reports it
	}
	if err == nil && same && after.GetResourceVersion() != before {
		c.repaired(i, "edited", takers(existing, after, c.Manager))
	}
	return c.recreate(ctx, i, existing, err)
}

// onlyNew is a resource version that no object has: the API server refuses an apply with it unless it creates the object.
const onlyNew = "1"

// apply sends the intent and remembers the answer.
func (c *Writer) apply(ctx context.Context, i *intent, uid any, version string) (*unstructured.Unstructured, error) {
	u := i.content.DeepCopy()
	metadata := u.Object["metadata"].(map[string]any)
	if text := fmt.Sprint(uid); text != "" {
		metadata["uid"] = text
	}
	if version != "" {
		metadata["resourceVersion"] = version
	}
	if err := c.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(c.Manager),
		client.ForceOwnership); err != nil {
		return nil, &WriteError{text: fmt.Sprintf("write %s: %s", i.ref, Reason(err)), err: err}
	}
	c.remember(i, u)
	return u, nil
}

// lock makes the others who want to write the same child wait.
func (c *Writer) lock(r reference) (unlock func()) {
	h := fnv.New32a()
	fmt.Fprint(h, r)
	m := &c.locks[h.Sum32()%uint32(len(c.locks))]
	m.Lock()
	return m.Unlock
}

func (c *Writer) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}
