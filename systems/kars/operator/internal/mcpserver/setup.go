// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/enqueue"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
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
	return operator.Setup(e.Host, operator.Kind[*api.McpServer, Facts]{
		Resource: api.GroupVersion.WithResource("mcpservers"), Conditions: Kind,
		Gather: g.gather,
		Act: func(ctx context.Context, o *api.McpServer, f *Facts) error {
			if f.Content == nil {
				return nil
			}
			if err := signing(ctx, e, o); err != nil {
				return err
			}
			return e.Children.Ensure(ctx, o, e.Children.ConfigMap(o, MetadataName(o.Name), f.Content,
				map[string]string{kit.AnnotationDigest: version(f.Content)}))
		},
		Refused:  func(f *Facts, err error) { f.WriteError = err },
		Judge:    operator.JudgeWith[*api.McpServer](Begin, Judge),
		Conclude: conclude,
		Watch: func(b *builder.Builder) *builder.Builder {
			b = e.WatchSandboxes(b, kit.McpServersOf).
				Watches(&appsv1.Deployment{},
					enqueue.Mapped(func(ctx context.Context, o client.Object) []reconcile.Request { return ofSandbox(ctx, e, o) })).
				// a copy in the namespace of a sandbox
				Watches(&corev1.ConfigMap{}, enqueue.Mapped(func(_ context.Context, o client.Object) []reconcile.Request {
					name, mirrored := serverOf(o.GetName())
					if owner := o.GetLabels()[kit.LabelSandboxOwner]; mirrored && owner != "" {
						return enqueue.Named(owner, name)
					}
					return nil
				}))
			return b.Watches(&corev1.ConfigMap{}, enqueue.Owner(api.GroupVersion, "McpServer"))
		},
	})
}

// serverOf returns the server whose content a ConfigMap has, by its name.
func serverOf(configMap string) (string, bool) {
	name, prefixed := strings.CutPrefix(configMap, "mcp-")
	name, is := strings.CutSuffix(name, "-jwks")
	return name, prefixed && is && name != ""
}

// ofSandbox wakes the servers that the sandbox of a workload refers to.
func ofSandbox(ctx context.Context, e *kit.Env, workload client.Object) (out []reconcile.Request) {
	sandbox := &api.KarsSandbox{}
	labels := workload.GetLabels()
	key := client.ObjectKey{Namespace: labels[kit.LabelSandboxOwner], Name: labels[kit.LabelSandbox]}
	if key.Name == "" || e.Manager.GetClient().Get(ctx, key, sandbox) != nil {
		return nil // gone: its deletion wakes the same
	}
	for _, name := range kit.McpServersOf(sandbox) {
		out = append(out, enqueue.Named(key.Namespace, name)...)
	}
	return out
}

// signing creates the key of a server once; it is never rotated.
func signing(ctx context.Context, e *kit.Env, o *api.McpServer) error {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	_, err = e.Children.Once(ctx, o, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: signingName(o.Name),
			OwnerReferences: []metav1.OwnerReference{e.Children.OwnerOf(o)}},
		Data: map[string][]byte{"key.pem": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})},
	})
	return err
}

// conclude keeps the references to the last mirrored objects where a fetch fails. lastProbedAt moves with the outcome of a probe, so that a
// probe that finds nothing new writes nothing.
func conclude(o *api.McpServer, f Facts, result conditions.Result, now time.Time) operator.Conclusion {
	key, set := signingName(o.Name), MetadataName(o.Name)
	if f.bad() && o.Status.JwksConfigMapRef == nil {
		key, set = "", ""
	}
	var again time.Time
	if o.Spec.OAuth != nil && o.Spec.OAuth.Issuer != "" && len(f.Problems) == 0 {
		again = now.Add(kit.Refresh)
	}
	probe := fmt.Sprint(o.Generation, Kind.Phase(result.Conditions()))
	stored := fmt.Sprint(o.Status.ObservedGeneration, o.Status.Phase)
	return operator.Conclusion{Again: again, Status: &api.McpServerStatus{
		LastProbedAt:     operator.Stamp(probe, stored, o.Status.LastProbedAt, now),
		SigningKeyRef:    api.Ref(key),
		JwksConfigMapRef: api.Ref(set),
	}}
}
