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

// paused reports whether the operator has suspended a HelmRelease, and no other writer has resumed it.
func paused(u *unstructured.Unstructured) bool {
	suspended, _, _ := unstructured.NestedBool(u.Object, "spec", "suspend")
	return suspended && strings.HasPrefix(u.GetAnnotations()[annotationPause], "paused ")
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

// pause suspends the HelmRelease of an instance, or resumes it, and records which it is now. One that is gone stays gone. A suspension by
// an administrator is ended only for an uninstall.
func (g *gatherer) pause(ctx context.Context, o *api.ApplicationInstance, r *Release, on bool) error {
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(kit.GVK("helm.toolkit.fluxcd.io", "HelmRelease"))
	if err := g.Manager.GetAPIReader().Get(ctx, client.ObjectKey{Namespace: o.Namespace, Name: o.Spec.Release.Name}, live); err != nil {
		return client.IgnoreNotFound(err)
	}
	suspended, _, _ := unstructured.NestedBool(live.Object, "spec", "suspend")
	if r.Suspended, r.Paused = suspended, paused(live); suspended == on || live.GetLabels()[child.LabelManaged] != kit.Manager ||
		live.GetLabels()[api.LabelInstance] != o.Name {
		return nil // the cache is behind
	}
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"suspend": on}}}
	u.SetGroupVersionKind(live.GroupVersionKind())
	u.SetNamespace(live.GetNamespace())
	u.SetName(live.GetName())
	u.SetUID(live.GetUID()) // a HelmRelease that is gone is not created
	word := map[bool]string{true: "paused", false: "resumed"}[on]
	u.SetAnnotations(map[string]string{annotationPause: fmt.Sprintf("%s %d %d", word, generation(live), live.GetGeneration()+1)})
	if err := g.Manager.GetClient().Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(pauser),
		client.ForceOwnership); err != nil {
		return &pauseError{fmt.Sprintf("HelmRelease %s cannot be %s: %s", live.GetName(), word, child.Reason(err)), err}
	}
	r.Suspended, r.Paused = on, on
	return nil
}

// pauseError is a suspension, or its end, that the API server has not written.
type pauseError struct {
	text string
	err  error
}

// Error has no parts that change from one attempt to the next.
func (e *pauseError) Error() string { return e.text }

// Unwrap returns the answer of the API server.
func (e *pauseError) Unwrap() error { return e.err }
