// SPDX-License-Identifier: Apache-2.0

package consumers

import (
	"context"
	"io"
	"strings"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/health"
	"github.com/argoproj/argo-cd/v3/util/lua"
	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/kubectl/pkg/cmd/wait"
)

// ArgoCD returns the health by Argo CD's own checks: those in Lua that come with it, and those in Go. It is empty where Argo CD has none
// for the kind. It is the Argo of package internal/export/consumers.
func ArgoCD(object map[string]any) (string, bool) { return argoCD(object, nil) }

// argoCD asks with checks of a user.
func argoCD(object map[string]any, overrides lua.ResourceHealthOverrides) (string, bool) {
	o := &unstructured.Unstructured{Object: object}
	h, err := health.GetResourceHealth(o, overrides)
	for tries := 0; err != nil && tries < 100 && strings.Contains(err.Error(), context.DeadlineExceeded.Error()); tries++ {
		h, err = health.GetResourceHealth(o, overrides) // its second is one of the clock, in which this machine may have done something else
	}
	switch {
	case h != nil:
		return string(h.Status), true
	case err != nil:
		return "Unknown", true
	}
	return "", true
}

// Kstatus returns the status by the library that Helm 4, Flux and cli-utils wait with.
func Kstatus(object map[string]any) string {
	r, err := status.Compute(&unstructured.Unstructured{Object: object})
	if err != nil {
		return status.UnknownStatus.String()
	}
	return r.Status.String()
}

// KubectlWait reports whether kubectl wait --for=condition=Ready ends for an object.
func KubectlWait(ctx context.Context, object map[string]any) (bool, error) {
	server := "http://127.0.0.1"
	getter := genericclioptions.NewConfigFlags(false)
	getter.APIServer = &server
	flags := wait.NewWaitFlags(getter, genericiooptions.IOStreams{Out: io.Discard, ErrOut: io.Discard})
	flags.ForCondition, flags.Timeout = []string{"condition=Ready"}, 0
	options, err := flags.ToOptions(nil)
	if err != nil {
		return false, err
	}
	o := (&unstructured.Unstructured{Object: object}).DeepCopy()
	if o.GetName() == "" {
		o.SetName("example")
	}
	gvk := o.GroupVersionKind()
	gvr, _ := meta.UnsafeGuessKindToResource(gvk)
	lists := map[schema.GroupVersionResource]string{gvr: gvk.Kind + "List"}
	options.DynamicClient = fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, o)
	info := &resource.Info{Namespace: o.GetNamespace(), Name: o.GetName(), Object: o,
		Mapping: &meta.RESTMapping{Resource: gvr, GroupVersionKind: gvk, Scope: meta.RESTScopeNamespace}}
	_, met, _ := options.ConditionFn[0](ctx, info, options) // an error means that the condition is not met
	return met, nil
}
