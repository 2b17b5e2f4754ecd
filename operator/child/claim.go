// SPDX-License-Identifier: Apache-2.0

package child

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// claim is the record of a child that no owner reference can prove: a child without a namespace, whose owner has one. It is a ConfigMap of
// the operator's namespace, which others do not write. It is written before the child is created, with a random word that the child
// carries, and again with the uid of the child once that is known. Only the uid counts from then on.
type claim struct {
	of   identity
	uid  types.UID // empty: the child may exist, and then has the word
	word string
}

// Keys of the ConfigMap of a claim.
const (
	claimChild = "child"
	claimUID   = "uid"
	claimWord  = "word"
)

func (c *Writer) annotationClaim() string { return c.Domain + "/claim" }

// needsClaim reports whether a child is proved by a claim.
func (c *Writer) needsClaim(i *intent) bool {
	return c.Home != "" && i.ref.Namespace == "" && i.of.namespace != ""
}

// claimKey returns the name of the ConfigMap of a child's claim.
func (c *Writer) claimKey(r reference) client.ObjectKey {
	sum := sha256.Sum256([]byte(r.GroupKind().String() + "/" + r.Name))
	return client.ObjectKey{Namespace: c.Home, Name: "claim-" + hex.EncodeToString(sum[:16])}
}

// proven returns an error where an object is not the child that the writer created for the intent's owner. Labels and annotations prove
// nothing: whoever makes the object first writes them.
func (c *Writer) proven(ctx context.Context, i *intent, existing metav1.Object) error {
	known, err := c.claimOf(ctx, i.ref, func(k *claim) bool { return k.of != i.of || k.uid == existing.GetUID() })
	switch mark, marked := parseMark(existing.GetAnnotations()[c.annotationOwner()]); {
	case err != nil:
		return err
	case known == nil && c.Inherit != nil && c.marked(i, existing) && c.Inherit(i.owner):
		return c.stake(ctx, i, claim{of: i.of, uid: existing.GetUID()}, onlyNew)
	case known == nil && marked && mark != i.of:
		return c.others(i, mark.String())
	case known == nil:
		return c.foreign(i)
	case known.of != i.of:
		return c.others(i, known.of.String())
	case known.uid == existing.GetUID():
		return nil
	case known.uid == "" && known.word != "" && existing.GetAnnotations()[c.annotationClaim()] == known.word: // the writer stopped in between
		return c.stake(ctx, i, claim{of: i.of, uid: existing.GetUID()}, "")
	}
	return c.foreign(i)
}

// begin stores the claim of a child that is about to be created. exists reports that there is such an object, so that nothing is created.
func (c *Writer) begin(ctx context.Context, i *intent) (exists bool, err error) {
	live := &metav1.PartialObjectMetadata{}
	live.SetGroupVersionKind(i.ref.GroupVersionKind)
	if err := c.Live.Get(ctx, i.ref.ObjectKey, live); !apierrors.IsNotFound(err) {
		if err != nil {
			return false, unread(i, err)
		}
		return true, nil
	}
	known, err := c.claimOf(ctx, i.ref, func(k *claim) bool { return k.of == i.of })
	if err != nil {
		return false, err
	}
	version := ""
	if known == nil {
		version = onlyNew
	} else if known.of != i.of {
		return false, c.others(i, known.of.String())
	}
	word := rand.Text()
	annotations := i.content.GetAnnotations()
	annotations[c.annotationClaim()] = word
	i.content.SetAnnotations(annotations)
	return false, c.stake(ctx, i, claim{of: i.of, word: word}, version)
}

// claimOf returns the claim of a child; nil: no claim is stored. If memory and cache do not have enough, the API server is asked.
func (c *Writer) claimOf(ctx context.Context, r reference, enough func(*claim) bool) (*claim, error) {
	c.mu.Lock()
	known, remembered := c.proved[r]
	c.mu.Unlock()
	if remembered && enough(&known) {
		return &known, nil
	}
	for _, from := range []client.Reader{c.Client, c.Live} {
		stored := &corev1.ConfigMap{}
		err := from.Get(ctx, c.claimKey(r), stored)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, &WriteError{text: fmt.Sprintf("read the claim of %s: %s", r, Reason(err)), err: err}
		}
		of, ok := parseMark(stored.Annotations[c.annotationOwner()])
		if !ok {
			return nil, fmt.Errorf("ConfigMap %s/%s, the claim of %s, has no owner", stored.Namespace, stored.Name, r)
		}
		known = claim{of: of, uid: types.UID(stored.Data[claimUID]), word: stored.Data[claimWord]}
		if from == c.Live || enough(&known) {
			c.know(r, known)
			return &known, nil
		}
	}
	return nil, nil
}

// know remembers a claim.
func (c *Writer) know(r reference, known claim) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.proved == nil {
		c.proved = map[reference]claim{}
	}
	c.proved[r] = known
}

// stake stores a claim.
func (c *Writer) stake(ctx context.Context, i *intent, k claim, version string) error {
	key := c.claimKey(i.ref)
	stored := applycorev1.ConfigMap(key.Name, key.Namespace).WithLabels(map[string]string{LabelManaged: c.label()}).
		WithAnnotations(map[string]string{c.annotationOwner(): k.of.mark(i.uid)}).
		WithData(map[string]string{claimChild: i.ref.Kind + "/" + i.ref.Name, claimUID: string(k.uid), claimWord: k.word})
	if version != "" {
		stored = stored.WithResourceVersion(version)
	}
	if err := c.Client.Apply(ctx, stored, client.FieldOwner(c.Manager), client.ForceOwnership); err != nil {
		return &WriteError{text: fmt.Sprintf("claim %s: %s", i.ref, Reason(err)), err: err}
	}
	c.know(i.ref, k)
	return nil
}

// release deletes the claim of a child that does not exist, or is not the owner's.
func (c *Writer) release(ctx context.Context, i *intent) error {
	if !c.needsClaim(i) {
		return nil
	}
	known, err := c.claimOf(ctx, i.ref, func(*claim) bool { return true })
	if err != nil || known == nil || known.of != i.of {
		return err
	}
	key := c.claimKey(i.ref)
	stored := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	if err := c.Client.Delete(ctx, stored); client.IgnoreNotFound(err) != nil {
		return &WriteError{text: fmt.Sprintf("release %s: %s", i.ref, Reason(err)), err: err}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.proved, i.ref)
	return nil
}
