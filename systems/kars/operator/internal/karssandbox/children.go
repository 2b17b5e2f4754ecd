// SPDX-License-Identifier: Apache-2.0

package karssandbox

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tristate/tristate/operator/child"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/a2aagent"
	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	"github.com/tristate/tristate/systems/kars/operator/internal/egressapproval"
	"github.com/tristate/tristate/systems/kars/operator/internal/inferencepolicy"
	"github.com/tristate/tristate/systems/kars/operator/internal/karsmemory"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	"github.com/tristate/tristate/systems/kars/operator/internal/mcpserver"
	"github.com/tristate/tristate/systems/kars/operator/internal/toolpolicy"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// act writes the components. Nothing is created while something blocks; a workload that runs then keeps running, unless no destination can
// be trusted or the sandbox is suspended. Its isolation is held whatever blocks.
func act(e *kit.Env) func(context.Context, *api.KarsSandbox, *Facts) error {
	return func(ctx context.Context, o *api.KarsSandbox, f *Facts) error {
		if f.Taken != "" {
			return nil // nothing outside of its own namespace is its own
		}
		err := write(ctx, e, o, f)
		if f.Suspended && f.Space && (f.Blocked() || err != nil) { // the components, which have no replicas then, were not written
			err = errors.Join(stop(ctx, e, o), err)
		}
		return err
	}
}

// write writes everything but the end of a workload that is suspended while something blocks.
func write(ctx context.Context, e *kit.Env, o *api.KarsSandbox, f *Facts) error {
	if err := egressapproval.Sweep(ctx, e, client.ObjectKeyFromObject(o), e.Now()); err != nil {
		return err
	}
	if f.Allowlist.Good != nil {
		if err := e.Children.Ensure(ctx, o, keep(e, o, f.Allowlist.Good)); err != nil {
			return err
		}
	}
	if f.Space || f.Overlay { // grants have their files there, whoever runs the Pod
		if err := isolate(ctx, e, o); err != nil {
			return err
		}
	}
	switch {
	case f.Allowlist.Closed && f.Space:
		return closeDown(ctx, e, o, *f)
	case f.Blocked():
		return nil
	case f.Overlay:
		return removeWorkload(ctx, e, o)
	}
	err := components(ctx, e, o, *f)
	f.Missing = f.Missing && err != nil
	return err
}

// stop scales the Deployments of a sandbox to nothing, whatever keeps them from being rendered.
func stop(ctx context.Context, e *kit.Env, o *api.KarsSandbox) error {
	var errs []error
	for _, name := range []string{kit.AgentName(o.Name), o.Name} {
		d, exists, err := deployed(ctx, e, o, name)
		if err != nil || !exists || ptr.Deref(d.Spec.Replicas, 1) == 0 || e.Children.Owns(ctx, o, d) != nil {
			errs = append(errs, err)
			continue
		}
		patch := fmt.Appendf(nil, `{"metadata":{"uid":%q},"spec":{"replicas":0}}`, d.UID)
		if err := e.Children.Client.Patch(ctx, d.DeepCopy(), client.RawPatch(types.MergePatchType, patch),
			client.FieldOwner(kit.Manager)); err != nil {
			errs = append(errs, fmt.Errorf("stop Deployment %s/%s: %s", d.Namespace, name, child.Reason(err)))
		}
	}
	return errors.Join(errs...)
}

// component returns the metadata of a component.
func component(o *api.KarsSandbox, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: kit.SandboxNamespace(o.Name), Name: name, Labels: kit.SandboxLabels(client.ObjectKeyFromObject(o))}
}

// isolate writes the namespace, and the parts of it that keep the sandbox apart. The API server refuses pods there that are not restricted.
func isolate(ctx context.Context, e *kit.Env, o *api.KarsSandbox) error {
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: kit.SandboxNamespace(o.Name),
		Labels: kit.SandboxLabels(client.ObjectKeyFromObject(o))}}
	space.Labels["pod-security.kubernetes.io/enforce"] = "restricted"
	parts := []client.Object{space, &corev1.ServiceAccount{ObjectMeta: component(o, o.Name), AutomountServiceAccountToken: ptr.To(false)}}
	for _, part := range append(parts, policies(e, o)...) {
		if err := e.Children.Ensure(ctx, o, part); err != nil {
			return err
		}
	}
	return nil
}

func components(ctx context.Context, e *kit.Env, o *api.KarsSandbox, f Facts) error {
	if !f.Space {
		if err := isolate(ctx, e, o); err != nil {
			return err
		}
	}
	if _, err := token(ctx, e, o, kit.TokenSecret); err != nil {
		return err
	}
	issued, err := token(ctx, e, o, kit.AgentTokenSecret)
	if err != nil {
		return err
	}
	for _, part := range []client.Object{list(o, f), service(o)} {
		if err := e.Children.Ensure(ctx, o, part); err != nil {
			return err
		}
	}
	mirrored, err := mirrors(ctx, e, o, f)
	if err != nil {
		return err
	}
	if err := e.Children.Ensure(ctx, o, routerOf(e, o, f, mirrored)); err != nil {
		return err
	}
	at, err := address(ctx, e, o)
	if err != nil {
		return err
	}
	agent, running := agentOf(e, o, f, mirrored, at), &appsv1.Deployment{}
	exists, err := e.Children.Exists(ctx, client.ObjectKeyFromObject(agent), running)
	if err != nil {
		return err
	}
	if exists && issued.After(running.CreationTimestamp.Time) { // it starts again, as it has its token as a variable
		agent.Spec.Template.Annotations = map[string]string{kit.Domain + "/token-issued": issued.UTC().Format(time.RFC3339)}
	}
	return e.Children.Ensure(ctx, o, agent)
}

// list returns the ConfigMap with the destinations; it is there also where none is declared.
func list(o *api.KarsSandbox, f Facts) *corev1.ConfigMap {
	body := digest.Allowlist(f.Allowlist.Endpoints)
	at := component(o, kit.AllowlistName(o.Name))
	at.Annotations = map[string]string{kit.AnnotationDigest: digest.Of(digest.EgressAllowlist, body)}
	return &corev1.ConfigMap{ObjectMeta: at, Data: map[string]string{digest.Names[digest.EgressAllowlist]: string(body)}}
}

// closeDown publishes an empty list and removes the workload of a sandbox whose list cannot be trusted. Nothing is rendered: the rest of
// the spec may be wrong too.
func closeDown(ctx context.Context, e *kit.Env, o *api.KarsSandbox, f Facts) error {
	if err := e.Children.Ensure(ctx, o, list(o, f)); err != nil {
		return err
	}
	return removeWorkload(ctx, e, o)
}

// removeWorkload deletes the Deployments, so that another controller runs the Pod, or none: the agent's first.
func removeWorkload(ctx context.Context, e *kit.Env, o *api.KarsSandbox) error {
	for _, name := range []string{kit.AgentName(o.Name), o.Name} {
		if err := e.Children.Remove(ctx, o, &appsv1.Deployment{ObjectMeta: component(o, name)}); err != nil {
			return err
		}
	}
	return nil
}

// token creates a bearer token of the router once, and returns when it was issued.
func token(ctx context.Context, e *kit.Env, o *api.KarsSandbox, name string) (issued time.Time, err error) {
	random := make([]byte, 32)
	if _, err := rand.Read(random); err != nil {
		return issued, err
	}
	return e.Children.Once(ctx, o, &corev1.Secret{ObjectMeta: component(o, name),
		Data: map[string][]byte{kit.TokenKey: []byte(hex.EncodeToString(random))}})
}

// mount is a ConfigMap of a sandbox with the folder, below the root of the router, that it appears in.
type mount struct{ name, folder string }

// mounts returns the ConfigMaps of the policies that a sandbox refers to.
func mounts(o *api.KarsSandbox, f Facts) []mount {
	out := []mount{{kit.AllowlistName(o.Name), "egress"}, {kit.ApprovalsName(o.Name), "approvals"}}
	if name := o.Spec.InferenceRef.Name; name != "" {
		out = append(out, mount{inferencepolicy.ProfileName(name), "inference"})
	}
	if name := kit.ToolPolicyOf(o); name != "" {
		out = append(out, mount{toolpolicy.ProfileName(name), "tools"})
	}
	if name := kit.MemoryOf(o); name != "" {
		out = append(out, mount{karsmemory.BindingName(name), "memory"})
	}
	for _, name := range f.Servers {
		out = append(out, mount{mcpserver.MetadataName(name), "mcp/" + name})
	}
	if name := kit.AgentOf(o); name != "" {
		out = append(out, mount{a2aagent.CardName(name), "a2a"})
	}
	return out
}

// expects reports whether a published ConfigMap has the artifacts that the specs of the policies compile to.
func (f Facts) expects(published map[string]string) bool {
	return !slices.ContainsFunc(f.Expected, func(want Expected) bool {
		body, there := published[digest.Names[want.Kind]]
		return there && digest.Of(want.Kind, []byte(body)) != want.Digest
	})
}

// mirrors copies the published ConfigMaps into the namespace of the sandbox and removes copies that are not referred to any more.
func mirrors(ctx context.Context, e *kit.Env, o *api.KarsSandbox, f Facts) ([]mount, error) {
	all := mounts(o, f)
	var wanted []client.Object
	for _, m := range all {
		c := &corev1.ConfigMap{ObjectMeta: component(o, m.name)}
		if m.folder == "egress" || m.folder == "approvals" {
			wanted = append(wanted, c)
			continue
		}
		source := &corev1.ConfigMap{}
		exists, err := e.Children.Exists(ctx, client.ObjectKey{Namespace: o.Namespace, Name: m.name}, source)
		if err != nil {
			return nil, err
		}
		if !exists {
			continue
		}
		if !f.expects(source.Data) { // others have changed it, or it is of another spec: the last copy stays until it is written again
			wanted = append(wanted, c)
			continue
		}
		c.Annotations, c.Data = map[string]string{kit.AnnotationDigest: source.Annotations[kit.AnnotationDigest]}, source.Data
		wanted = append(wanted, c)
		if err := e.Children.Ensure(ctx, o, c); err != nil {
			return nil, err
		}
	}
	return all, e.Children.Prune(ctx, o, &corev1.ConfigMapList{}, wanted, client.InNamespace(kit.SandboxNamespace(o.Name)))
}

// clearLeft deletes the components of a sandbox that does not exist: its finalizer was removed by hand. The end of the namespace wakes it
// again.
func clearLeft(ctx context.Context, e *kit.Env, gone reconcile.Request) error {
	_, err := remove(e)(ctx, &api.KarsSandbox{ObjectMeta: metav1.ObjectMeta{Namespace: gone.Namespace, Name: gone.Name}})
	return err
}

// remove deletes the components of a sandbox and reports whether they are gone.
func remove(e *kit.Env) func(context.Context, *api.KarsSandbox) (bool, error) {
	return func(ctx context.Context, o *api.KarsSandbox) (bool, error) {
		e.Poller.Unwatch(client.ObjectKeyFromObject(o), nil)
		if err := e.Children.Remove(ctx, o,
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: keptName(o)}}); err != nil {
			return false, err
		}
		space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: kit.SandboxNamespace(o.Name)}}
		exists, err := e.Children.Exists(ctx, client.ObjectKeyFromObject(space), space)
		if err != nil {
			return false, err
		}
		var foreign *child.OwnedError
		left := exists && !errors.As(e.Children.Owns(ctx, o, space), &foreign)
		return !left, e.Children.Remove(ctx, o, space)
	}
}
