// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"time"

	"github.com/tristate/tristate/operators/internal/child"
	"github.com/tristate/tristate/operators/internal/reconciler"
	api "github.com/tristate/tristate/operators/kars/api/v1alpha1"
	"github.com/tristate/tristate/operators/kars/internal/digest"
	"github.com/tristate/tristate/operators/kars/internal/kit"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// +kubebuilder:rbac:groups=kars.azure.com,resources=mcpservers,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=kars.azure.com,resources=mcpservers/status,verbs=patch

// MetadataName returns the name of the ConfigMap with the key set and the metadata of a server.
func MetadataName(server string) string { return "mcp-" + server + "-jwks" }

// signingName returns the name of the Secret with the key of a server.
func signingName(server string) string { return "mcp-" + server + "-signing" }

// Setup adds the kind to the operator.
func Setup(e *kit.Env) error {
	g := &gatherer{env: e}
	return reconciler.Setup(e.Host, reconciler.Kind[*api.McpServer, Facts]{
		Resource: api.GroupVersion.WithResource("mcpservers"), Conditions: Kind,
		Accepted: func(o *api.McpServer, now time.Time) reconciler.Judgement {
			p := Begin(o, now)
			return kit.Accepted(o, p, p.Ready.Reconciling, p.Progressing.Reconciling, p.Degraded.Reconciled)
		},
		Gather: g.gather,
		Act: func(ctx context.Context, o *api.McpServer, f *Facts) {
			if len(f.Problems) > 0 || f.Meta == "" {
				return
			}
			if f.WriteError = signing(ctx, e, o); f.WriteError == nil {
				f.WriteError = e.Children.Ensure(ctx, e.Children.ConfigMap(o, MetadataName(o.Name), map[string]string{"jwks.json": f.Jwks, "meta.json": f.Meta},
					map[string]string{kit.AnnotationDigest: digest.Version([]byte(f.Jwks + f.Meta))}))
			}
		},
		Judge: conclude,
		Watch: func(b *builder.Builder) *builder.Builder {
			return e.WatchConfigMaps(b, "McpServer", &api.McpServerList{})
		},
	})
}

// signing creates the key of a server once; nobody rotates it.
func signing(ctx context.Context, e *kit.Env, o *api.McpServer) error {
	key := client.ObjectKey{Namespace: o.Namespace, Name: signingName(o.Name)}
	live := &metav1.PartialObjectMetadata{}
	live.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	err := e.Children.Live.Get(ctx, key, live)
	switch {
	case err == nil && live.Labels[child.LabelManaged] == kit.Manager:
		return nil
	case err == nil:
		return fmt.Errorf("secret %s exists and was not created by %s", key, kit.Manager)
	case !apierrors.IsNotFound(err):
		return fmt.Errorf("read Secret %s: %s", key, child.Reason(err))
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, Labels: map[string]string{child.LabelManaged: kit.Manager},
			OwnerReferences: []metav1.OwnerReference{e.Children.OwnerOf(o)}},
		Data: map[string][]byte{"key.pem": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})},
	}
	if err := e.Children.Client.Create(ctx, secret, client.FieldOwner(kit.Manager)); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("write Secret %s: %s", key, child.Reason(err))
	}
	return nil
}

// conclude keeps the references to the last mirrored objects where a fetch fails. lastProbedAt moves with the outcome of a probe, so that a
// probe that finds nothing new writes nothing.
func conclude(o *api.McpServer, f Facts, now time.Time) reconciler.Judgement {
	p := Begin(o, now)
	Judge(p, f)
	phase := kit.Ready
	key, set := signingName(o.Name), MetadataName(o.Name)
	switch {
	case len(f.Problems) > 0:
		phase = kit.Failed
	case f.JwksError != nil, f.WriteError != nil:
		phase = kit.Degraded
	}
	if phase != kit.Ready && o.Status.JwksConfigMapRef == nil {
		key, set = "", ""
	}
	var again time.Time
	if o.Spec.ProductionMode && len(f.Problems) == 0 {
		again = now.Add(kit.Refresh)
	}
	probe := fmt.Sprint(o.Generation, phase)
	stored := fmt.Sprint(o.Status.ObservedGeneration, o.Status.Phase)
	return reconciler.Judgement{Result: p.Commit(), Again: again, Fields: reconciler.Fields(&api.McpServerStatus{
		Common:           kit.Common(o, phase),
		LastProbedAt:     reconciler.Stamp(probe, stored, o.Status.LastProbedAt, now),
		SigningKeyRef:    api.Ref(key),
		JwksConfigMapRef: api.Ref(set),
		BundleRefDigest:  f.BundleDigest,
	})}
}
