// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"github.com/kubernetes-sigs/kro/pkg/controller/instance/applyset"
	"github.com/tristate/tristate/operator/child"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// +kubebuilder:rbac:groups="",namespace=kro-system,resources=secrets,verbs=create
// +kubebuilder:rbac:groups="",namespace=kro-system,resources=secrets,resourceNames=kro-operator-made,verbs=get

// AnnotationMade is the proof on an object that an instance created it: a word that depends on the names of both, and
// that only the operator can compute. It is sent with the request that creates the object, and the API server refuses
// that request if the object exists.
const AnnotationMade = "tristate.dev/made"

// onlyNew is a resource version that no object has: the API server refuses an apply with it unless it creates the object.
const onlyNew = "1"

// keySecret is the Secret with the key of the proofs, in the namespace of the operator.
const keySecret = "kro-operator-made"

var secrets = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}

// seal is the key of the proofs.
type seal struct {
	mu    sync.Mutex
	key   []byte
	since time.Time // an object that is older has no proof
}

// read returns the key. The first operator of a cluster creates it; a lost one is replaced.
func (s *seal) read(ctx context.Context, c dynamic.Interface, namespace string) (key []byte, since time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key != nil {
		return s.key, s.since, nil
	}
	stored, err := c.Resource(secrets).Namespace(namespace).Get(ctx, keySecret, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		fresh := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "immutable": true,
			"data": map[string]any{"key": base64.StdEncoding.EncodeToString([]byte(rand.Text() + rand.Text()))}}}
		fresh.SetName(keySecret)
		stored, err = c.Resource(secrets).Namespace(namespace).Create(ctx, fresh, metav1.CreateOptions{})
	}
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("read Secret %s/%s: %s", namespace, keySecret, child.Reason(err))
	}
	text, _, _ := unstructured.NestedString(stored.Object, "data", "key")
	if key, err = base64.StdEncoding.DecodeString(text); err != nil || len(key) < sha256.Size {
		return nil, time.Time{}, fmt.Errorf("no key of %[3]d bytes in Secret %[1]s/%[2]s: delete it", namespace, keySecret, sha256.Size)
	}
	s.key, s.since = key, stored.GetCreationTimestamp().Time
	return s.key, s.since, nil
}

// proof returns the word that proves that the instance created an object.
func (p *pass) proof(key []byte, o *unstructured.Unstructured) string {
	h := hmac.New(sha256.New, key)
	fmt.Fprintln(h, applyset.ID(p.instance), o.GroupVersionKind().GroupKind(),
		cmp.Or(o.GetNamespace(), p.instance.GetNamespace(), metav1.NamespaceDefault), o.GetName())
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// prove adds the proof to an object that is about to be created, or that the instance created.
func (p *pass) prove(o *unstructured.Unstructured) error {
	key, _, err := p.seal.read(p.ctx, p.Client, p.Namespace)
	if err != nil {
		return err
	}
	annotations := o.GetAnnotations()
	annotations[AnnotationMade] = p.proof(key, o)
	o.SetAnnotations(annotations)
	return nil
}

// proven reports whether an object has the proof that the instance created it, or had it before another writer removed it.
func (p *pass) proven(o *unstructured.Unstructured) (bool, error) {
	if _, known := p.created.Load(o.GetUID()); known {
		return true, nil
	}
	word := o.GetAnnotations()[AnnotationMade]
	if word == "" {
		return false, nil
	}
	key, _, err := p.seal.read(p.ctx, p.Client, p.Namespace)
	if err != nil || !hmac.Equal([]byte(word), []byte(p.proof(key, o))) {
		return false, err
	}
	p.created.Store(o.GetUID(), true)
	return true, nil
}

// made reports whether the instance created an object, so that it may delete it. An object of the time before there
// were proofs counts if kro or the operator applied it, unless it is older than the instance.
func (p *pass) made(o *unstructured.Unstructured) (bool, error) {
	if proven, err := p.proven(o); proven || err != nil {
		return proven, err
	}
	_, since, err := p.seal.read(p.ctx, p.Client, p.Namespace)
	at := o.GetCreationTimestamp().Time
	return applied(o) && at.Before(since) && !at.Before(p.instance.GetCreationTimestamp().Time), err
}
