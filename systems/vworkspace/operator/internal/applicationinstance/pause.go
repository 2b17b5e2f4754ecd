// SPDX-License-Identifier: Apache-2.0

package applicationinstance

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/tristate/tristate/operator/child"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// annotationPause has, on a HelmRelease that was suspended with its instance, "paused FROM TO" or "resumed FROM TO": the spec of generation
// TO is that of FROM but for suspend. A suspended HelmRelease is not looked at by its controller, so its status stays that of FROM.
const annotationPause = "app.vworkspace.io/pause"

// pauser is the field manager of spec.suspend, so that a pass that applies the release leaves it alone.
const pauser = kit.Manager + "-pause"

// paused reports whether the operator has suspended a HelmRelease.
func paused(o metav1.Object) bool {
	return strings.HasPrefix(o.GetAnnotations()[annotationPause], "paused ")
}

// generation returns the generation at which the spec of a HelmRelease, but for suspend, was made.
func generation(o metav1.Object) int64 {
	words := strings.Fields(o.GetAnnotations()[annotationPause])
	if len(words) != 3 || words[2] != strconv.FormatInt(o.GetGeneration(), 10) {
		return o.GetGeneration() // it was edited since
	}
	from, err := strconv.ParseInt(words[1], 10, 64)
	if err != nil || from > o.GetGeneration() {
		return o.GetGeneration()
	}
	return from
}

// pause suspends the HelmRelease of an instance, or resumes it. One that is gone stays gone.
func (g *gatherer) pause(ctx context.Context, o *api.ApplicationInstance, on bool) error {
	gvk := kit.GVK("helm.toolkit.fluxcd.io", "HelmRelease")
	live := &metav1.PartialObjectMetadata{}
	live.SetGroupVersionKind(gvk)
	if err := g.Manager.GetAPIReader().Get(ctx, client.ObjectKey{Namespace: o.Namespace, Name: o.Spec.Release.Name}, live); err != nil {
		return client.IgnoreNotFound(err)
	}
	if live.Labels[child.LabelManaged] != kit.Manager || live.Labels[api.LabelInstance] != o.Name || paused(live) == on {
		return nil // the cache is behind
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gvk)
	u.SetNamespace(live.Namespace)
	u.SetName(live.Name)
	u.SetUID(live.UID) // a HelmRelease that is gone is not created
	word := "resumed"
	if on {
		word = "paused"
		u.Object["spec"] = map[string]any{"suspend": true}
	}
	u.SetAnnotations(map[string]string{annotationPause: fmt.Sprintf("%s %d %d", word, generation(live), live.Generation+1)})
	if err := g.Manager.GetClient().Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(pauser),
		client.ForceOwnership); err != nil {
		return fmt.Errorf("suspend HelmRelease %s: %s", live.Name, child.Reason(err))
	}
	return nil
}
