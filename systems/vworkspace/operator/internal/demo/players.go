// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/go-containerregistry/pkg/name"
	ociregistry "github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/tristate/tristate/proof/world/stage"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// registry is an OCI registry that can go away and come back at its address.
type registry struct {
	handler http.Handler
	address string
	server  *http.Server
}

func newRegistry(s *stage.Stage) (*registry, error) {
	address, err := s.Address(18080) // it goes away and comes back
	if err != nil {
		return nil, err
	}
	r := &registry{handler: ociregistry.New(ociregistry.Logger(log.New(io.Discard, "", 0))), address: address}
	return r, r.up()
}

func (r *registry) up() error {
	socket, err := net.Listen("tcp", r.address)
	if err != nil {
		return err
	}
	r.address = socket.Addr().String()
	r.server = &http.Server{Handler: r.handler, ReadHeaderTimeout: time.Minute}
	server := r.server
	go func() { _ = server.Serve(socket) }() // ends with down
	return nil
}

func (r *registry) down() { _ = r.server.Close() }

func (r *registry) push(chart, version string) error {
	ref, err := name.ParseReference(fmt.Sprintf("%s/charts/%s:%s", r.address, chart, version), name.Insecure)
	if err != nil {
		return err
	}
	return remote.Write(ref, empty.Image)
}

// veleroBackup is the definition of a Backup of Velero, as far as the story needs it.
const veleroBackup = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: backups.velero.io}
spec:
  group: velero.io
  scope: Namespaced
  names: {plural: backups, kind: Backup}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`

// controllers plays source-controller, helm-controller and Velero until the context ends. The statuses of Flux are in flux_test.go with
// their sources.
func (d *story) controllers(ctx context.Context) {
	for ctx.Err() == nil {
		// An object that changed meanwhile is written in the next round.
		d.each(ctx, sourcev1.GroupVersion.WithKind("OCIRepository"), true, d.fetch)
		d.each(ctx, helmv2.GroupVersion.WithKind("HelmRelease"), true, d.release)
		d.each(ctx, schema.GroupVersionKind{Group: "velero.io", Version: "v1", Kind: "Backup"}, false, d.backup)
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// each writes the statuses of all objects of a kind, where they change.
func (d *story) each(ctx context.Context, gvk schema.GroupVersionKind, subresource bool,
	status func(context.Context, *unstructured.Unstructured) map[string]any) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if d.API.List(ctx, list) != nil {
		return
	}
	for i := range list.Items {
		u := &list.Items[i]
		next := status(ctx, u)
		if next == nil || equality.Semantic.DeepEqual(u.Object["status"], any(next)) {
			continue
		}
		u.Object["status"] = next
		if subresource {
			_ = d.API.Status().Update(ctx, u)
		} else {
			_ = d.API.Update(ctx, u)
		}
	}
}

// conditions returns those of a Flux object; the time of one that keeps its status stays.
func conditions(u *unstructured.Unstructured, cells ...[4]string) []any {
	stored, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	var out []any
	for _, c := range cells {
		since := time.Now().UTC().Format(time.RFC3339)
		for _, entry := range stored {
			if was, _ := entry.(map[string]any); was["type"] == c[0] && was["status"] == c[1] {
				since, _ = was["lastTransitionTime"].(string)
			}
		}
		out = append(out, map[string]any{"type": c[0], "status": c[1], "reason": c[2], "message": c[3], "observedGeneration": u.GetGeneration(),
			"lastTransitionTime": since})
	}
	return out
}

// fetch asks the registry, as source-controller does.
func (d *story) fetch(ctx context.Context, u *unstructured.Unstructured) map[string]any {
	url, _, _ := unstructured.NestedString(u.Object, "spec", "url")
	tag, _, _ := unstructured.NestedString(u.Object, "spec", "ref", "tag")
	status, _ := u.DeepCopy().Object["status"].(map[string]any)
	if status == nil {
		status = map[string]any{}
	}
	ref, err := name.ParseReference(strings.TrimPrefix(url, "oci://")+":"+tag, name.Insecure)
	if err == nil {
		_, err = remote.Head(ref, remote.WithContext(ctx))
	}
	if ctx.Err() != nil {
		return nil
	}
	status["observedGeneration"] = u.GetGeneration()
	if err != nil {
		const why = "the registry does not answer"
		status["conditions"] = conditions(u, [4]string{"Reconciling", "True", "ProgressingWithRetry", why},
			[4]string{"Ready", "False", sourcev1.OCIPullFailedReason, why},
			[4]string{sourcev1.FetchFailedCondition, "True", sourcev1.OCIPullFailedReason, why})
		return status
	}
	artifact, _ := status["artifact"].(map[string]any)
	if revision := tag + "@sha256:0"; artifact == nil || artifact["revision"] != revision {
		status["artifact"] = map[string]any{"path": "p", "url": "http://source/p", "digest": "sha256:" + strings.Repeat("0", 64),
			"revision":       revision,
			"lastUpdateTime": time.Now().UTC().Format(time.RFC3339)}
	}
	status["conditions"] = conditions(u, [4]string{"Ready", "True", "Succeeded", "stored artifact"},
		[4]string{"ArtifactInStorage", "True", "Succeeded", "stored artifact"})
	return status
}

// release installs and upgrades, as helm-controller does, once the source has the artifact.
func (d *story) release(ctx context.Context, u *unstructured.Unstructured) map[string]any {
	source := &unstructured.Unstructured{}
	source.SetGroupVersionKind(sourcev1.GroupVersion.WithKind("OCIRepository"))
	if d.API.Get(ctx, client.ObjectKey{Namespace: u.GetNamespace(), Name: u.GetName() + "-source"}, source) != nil {
		return nil
	}
	revision, _, _ := unstructured.NestedString(source.Object, "status", "artifact", "revision")
	version, _, _ := strings.Cut(revision, "@")
	if version == "" || version != u.GetAnnotations()[kit.AnnotationVersion] {
		return nil
	}
	status, _ := u.DeepCopy().Object["status"].(map[string]any)
	if status == nil {
		status = map[string]any{}
	}
	status["observedGeneration"] = u.GetGeneration()
	if d.hold.Load() {
		status["conditions"] = conditions(u, [4]string{"Reconciling", "True", "Progressing", "running action"},
			[4]string{"Ready", "Unknown", "Progressing", "running action"})
		return status
	}
	history, _ := status["history"].([]any)
	reason := helmv2.InstallSucceededReason
	if len(history) > 0 {
		reason = helmv2.UpgradeSucceededReason
		if latest, _ := history[0].(map[string]any); latest["chartVersion"] == version {
			return nil
		}
		history[0].(map[string]any)["status"] = "superseded"
	}
	now := time.Now().UTC().Format(time.RFC3339)
	status["history"] = append([]any{map[string]any{"name": u.GetName(), "namespace": u.GetNamespace(), "version": int64(len(history) + 1),
		"chartName": "shop", "chartVersion": version,
		"status": "deployed", "digest": "sha256:0", "configDigest": "sha256:0", "firstDeployed": now, "lastDeployed": now}}, history...)
	status["conditions"] = conditions(u, [4]string{"Ready", "True", reason, "Helm succeeded with chart shop@" + version},
		[4]string{"Released", "True", reason, "Helm succeeded"})
	return status
}

// backup goes from one phase to the next, as Velero does.
func (d *story) backup(_ context.Context, u *unstructured.Unstructured) map[string]any {
	phase, _, _ := unstructured.NestedString(u.Object, "status", "phase")
	next := map[string]string{"": "New", "New": "InProgress", "InProgress": "Completed"}[phase]
	if next == "" {
		return nil
	}
	return map[string]any{"phase": next}
}
