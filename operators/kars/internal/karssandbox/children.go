// SPDX-License-Identifier: Apache-2.0

package karssandbox

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"

	api "github.com/tristate/tristate/operators/kars/api/v1alpha1"
	"github.com/tristate/tristate/operators/kars/internal/a2aagent"
	"github.com/tristate/tristate/operators/kars/internal/digest"
	"github.com/tristate/tristate/operators/kars/internal/egressapproval"
	"github.com/tristate/tristate/operators/kars/internal/inferencepolicy"
	"github.com/tristate/tristate/operators/kars/internal/karsmemory"
	"github.com/tristate/tristate/operators/kars/internal/kit"
	"github.com/tristate/tristate/operators/kars/internal/mcpserver"
	"github.com/tristate/tristate/operators/kars/internal/toolpolicy"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// act writes the components. Nothing is created while something blocks; a workload that runs then keeps running, unless no destination can be trusted. Its isolation is held
// whatever blocks.
func act(e *kit.Env) func(context.Context, *api.KarsSandbox, *Facts) {
	return func(ctx context.Context, o *api.KarsSandbox, f *Facts) {
		if f.Taken != "" {
			return // nothing outside of its own namespace is its own
		}
		if f.WriteError = egressapproval.Sweep(ctx, e, client.ObjectKeyFromObject(o), e.Now()); f.WriteError != nil {
			return
		}
		if f.Allowlist.Good != nil {
			f.WriteError = e.Children.Ensure(ctx, o, keep(e, o, f.Allowlist.Good))
		}
		if f.Space && f.WriteError == nil {
			f.WriteError = isolate(ctx, e, o)
		}
		switch {
		case f.WriteError != nil:
		case f.Allowlist.Closed:
			if f.Space {
				f.WriteError = closeDown(ctx, e, o, *f)
			}
		case f.Blocked():
		case f.Overlay:
			f.WriteError = removeWorkload(ctx, e, o)
		default:
			if f.WriteError = components(ctx, e, o, *f); f.WriteError == nil {
				f.Missing = false
			}
		}
	}
}

// component returns the metadata of a component.
func component(o *api.KarsSandbox, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: kit.SandboxNamespace(o.Name), Name: name, Labels: kit.SandboxLabels(client.ObjectKeyFromObject(o))}
}

// isolate writes the namespace, and the parts of it that keep the sandbox apart.
func isolate(ctx context.Context, e *kit.Env, o *api.KarsSandbox) error {
	for _, part := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: kit.SandboxNamespace(o.Name), Labels: kit.SandboxLabels(client.ObjectKeyFromObject(o))}},
		&corev1.ServiceAccount{ObjectMeta: component(o, o.Name), AutomountServiceAccountToken: ptr.To(false)},
		policy(component(o, "sandbox-policy"), e.Namespace, o.Namespace),
	} {
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
	if err := token(ctx, e, o); err != nil {
		return err
	}
	for _, part := range []client.Object{
		list(o, f),
		&corev1.Service{ObjectMeta: component(o, o.Name), Spec: corev1.ServiceSpec{Selector: map[string]string{kit.LabelSandbox: o.Name},
			Ports: []corev1.ServicePort{{Name: "router", Port: kit.RouterPort, TargetPort: intstr.FromInt32(kit.RouterPort), Protocol: corev1.ProtocolTCP}}}},
	} {
		if err := e.Children.Ensure(ctx, o, part); err != nil {
			return err
		}
	}
	mirrored, err := mirrors(ctx, e, o, f)
	if err != nil {
		return err
	}
	return e.Children.Ensure(ctx, o, deployment(e, o, f, component(o, o.Name), mirrored))
}

// list returns the ConfigMap with the destinations; it is there also where none is declared.
func list(o *api.KarsSandbox, f Facts) *corev1.ConfigMap {
	body := digest.Allowlist(f.Allowlist.Endpoints)
	at := component(o, kit.AllowlistName(o.Name))
	at.Annotations = map[string]string{kit.AnnotationDigest: digest.Of(digest.EgressAllowlist, body)}
	return &corev1.ConfigMap{ObjectMeta: at, Data: map[string]string{digest.Names[digest.EgressAllowlist]: string(body)}}
}

// closeDown publishes an empty list and removes the workload of a sandbox whose list cannot be trusted. Nothing is rendered: the rest of the
// spec may be wrong too.
func closeDown(ctx context.Context, e *kit.Env, o *api.KarsSandbox, f Facts) error {
	if err := e.Children.Ensure(ctx, o, list(o, f)); err != nil {
		return err
	}
	return removeWorkload(ctx, e, o)
}

// removeWorkload deletes the Deployment, for another controller to run the Pod or nobody.
func removeWorkload(ctx context.Context, e *kit.Env, o *api.KarsSandbox) error {
	return e.Children.Remove(ctx, o, &appsv1.Deployment{ObjectMeta: component(o, o.Name)})
}

// token creates the bearer token of the router once.
func token(ctx context.Context, e *kit.Env, o *api.KarsSandbox) error {
	random := make([]byte, 32)
	if _, err := rand.Read(random); err != nil {
		return err
	}
	return e.Children.Once(ctx, o, &corev1.Secret{ObjectMeta: component(o, kit.TokenSecret), Data: map[string][]byte{kit.TokenKey: []byte(hex.EncodeToString(random))}})
}

// policy lets only the operator and the evaluations of the owner reach the router.
func policy(at metav1.ObjectMeta, operator, owner string) *networkingv1.NetworkPolicy {
	port := intstr.FromInt32(kit.RouterPort)
	return &networkingv1.NetworkPolicy{ObjectMeta: at, Spec: networkingv1.NetworkPolicySpec{
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		Ingress: []networkingv1.NetworkPolicyIngressRule{{
			From: []networkingv1.NetworkPolicyPeer{{NamespaceSelector: within(operator)}, {NamespaceSelector: within(owner),
				PodSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: kit.LabelEval, Operator: metav1.LabelSelectorOpExists}}}}},
			Ports: []networkingv1.NetworkPolicyPort{{Port: &port}},
		}},
	}}
}

// within selects a namespace by name.
func within(namespace string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}}
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

// mirrors copies the published ConfigMaps into the namespace of the sandbox and removes copies that nobody refers to any more.
func mirrors(ctx context.Context, e *kit.Env, o *api.KarsSandbox, f Facts) ([]mount, error) {
	all := mounts(o, f)
	wanted := map[string]bool{}
	for _, m := range all {
		if m.folder == "egress" || m.folder == "approvals" {
			wanted[m.name] = true
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
		wanted[m.name] = true
		at := component(o, m.name)
		at.Annotations = map[string]string{kit.AnnotationDigest: source.Annotations[kit.AnnotationDigest]}
		if err := e.Children.Ensure(ctx, o, &corev1.ConfigMap{ObjectMeta: at, Data: source.Data}); err != nil {
			return nil, err
		}
	}
	var have corev1.ConfigMapList
	if err := e.Children.Client.List(ctx, &have, client.InNamespace(kit.SandboxNamespace(o.Name)), client.MatchingLabels(kit.SandboxLabels(client.ObjectKeyFromObject(o)))); err != nil {
		return nil, err
	}
	for i := range have.Items {
		if c := &have.Items[i]; !wanted[c.Name] {
			if err := e.Children.Remove(ctx, o, c); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// Root is where a router finds its artifacts.
const Root = "/etc/kars"

func deployment(e *kit.Env, o *api.KarsSandbox, f Facts, at metav1.ObjectMeta, mounted []mount) *appsv1.Deployment {
	replicas := int32(1)
	if f.Suspended {
		replicas = 0
	}
	image := e.RuntimeImages[o.Spec.Runtime.Kind]
	if o.Spec.Runtime.Kind == byo {
		image = o.Spec.Runtime.BYO.Image
	}
	volumes := []corev1.Volume{{Name: "token", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: kit.TokenSecret}}}}
	paths := []corev1.VolumeMount{{Name: "token", MountPath: Root + "/token", ReadOnly: true}}
	for i, m := range mounted {
		volume := fmt.Sprintf("artifact-%d", i)
		optional := true
		volumes = append(volumes, corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: m.name}, Optional: &optional}}})
		paths = append(paths, corev1.VolumeMount{Name: volume, MountPath: Root + "/" + m.folder, ReadOnly: true})
	}
	args := []string{"--root=" + Root, fmt.Sprintf("--listen=:%d", kit.RouterPort), fmt.Sprintf("--proxy=127.0.0.1:%d", kit.ProxyPort)}
	for _, flag := range [][2]string{{"memory", e.MemoryEndpoint}, {"inference", e.InferenceEndpoint}} {
		if flag[1] != "" {
			args = append(args, "--"+flag[0]+"="+flag[1])
		}
	}
	if e.PushURL != "" {
		args = append(args, "--push="+e.PushURL+o.Namespace+"/"+o.Name)
	}
	env := []corev1.EnvVar{{Name: "HTTPS_PROXY", Value: fmt.Sprintf("http://127.0.0.1:%d", kit.ProxyPort)}}
	if o.Spec.Agent != nil && o.Spec.Agent.Instructions != "" {
		env = append(env, corev1.EnvVar{Name: "KARS_INSTRUCTIONS", Value: o.Spec.Agent.Instructions})
	}
	template := map[string]string{kit.LabelSandbox: o.Name}
	pod := map[string]string{}
	for k, v := range at.Labels {
		pod[k] = v
	}
	return &appsv1.Deployment{ObjectMeta: at, Spec: appsv1.DeploymentSpec{
		Replicas: &replicas,
		Selector: &metav1.LabelSelector{MatchLabels: template},
		Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: pod, Annotations: map[string]string{"kars.azure.com/isolation": isolation(o)}},
			Spec: corev1.PodSpec{ServiceAccountName: o.Name, AutomountServiceAccountToken: ptr.To(false), Volumes: volumes, Containers: slices.Concat(
				[]corev1.Container{{Name: "router", Image: e.RouterImage, Command: []string{"kars-router"}, Args: args, VolumeMounts: paths,
					Ports: []corev1.ContainerPort{{ContainerPort: kit.RouterPort, Protocol: corev1.ProtocolTCP}}}},
				[]corev1.Container{{Name: "runtime", Image: image, Env: env}})},
		},
	}}
}

func isolation(o *api.KarsSandbox) string {
	if o.Spec.Sandbox == nil || o.Spec.Sandbox.Isolation == "" {
		return "enhanced"
	}
	return o.Spec.Sandbox.Isolation
}

// remove deletes the components of a sandbox and reports whether they are gone.
func remove(e *kit.Env) func(context.Context, *api.KarsSandbox) (bool, error) {
	return func(ctx context.Context, o *api.KarsSandbox) (bool, error) {
		e.Poller.Unwatch(client.ObjectKeyFromObject(o), nil)
		if err := e.Children.Remove(ctx, o, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: keptName(o)}}); err != nil {
			return false, err
		}
		space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: kit.SandboxNamespace(o.Name)}}
		exists, err := e.Children.Exists(ctx, client.ObjectKeyFromObject(space), space)
		if err != nil || !exists || e.Children.Owns(o, space) != nil {
			return err == nil, err
		}
		return false, e.Children.Remove(ctx, o, space)
	}
}
