// SPDX-License-Identifier: Apache-2.0

package karssandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/child"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	"github.com/tristate/tristate/systems/kars/operator/internal/echo"
	"github.com/tristate/tristate/systems/kars/operator/internal/inferencepolicy"
	"github.com/tristate/tristate/systems/kars/operator/internal/karsmemory"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	"github.com/tristate/tristate/systems/kars/operator/internal/mcpserver"
	"github.com/tristate/tristate/systems/kars/operator/internal/toolpolicy"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// byo is the runtime kind whose image is in the spec.
const byo = "BYO"

// Check returns the problems of a spec alone.
func Check(spec api.KarsSandboxSpec) (problems []string) {
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	switch runtime := spec.Runtime; {
	case runtime.Kind == byo && (runtime.BYO == nil || runtime.BYO.Image == ""):
		add("runtime.byo.image is missing")
	case runtime.Kind != byo && runtime.BYO != nil:
		add("runtime.byo goes with kind BYO only")
	}
	if s := spec.Sandbox; s != nil && !slices.Contains([]string{"", standard, enhanced, confidential}, s.Isolation) {
		add("sandbox.isolation %q is not standard, enhanced or confidential", s.Isolation)
	}
	if n := spec.NetworkPolicy; n != nil && n.DefaultDeny != nil && !*n.DefaultDeny {
		add("networkPolicy.defaultDeny is false, and every destination is denied that is not allowed")
	}
	if n := spec.NetworkPolicy; n != nil && n.EgressMode != "" && n.EgressMode != "Strict" {
		add("networkPolicy.egressMode %q is not Strict", n.EgressMode)
	}
	if spec.InferenceRef.Name == "" {
		add("inferenceRef.name is missing")
	}
	refs := []string{spec.InferenceRef.Name}
	if spec.MemoryRef != nil {
		refs = append(refs, spec.MemoryRef.Name)
	}
	if g := spec.Governance; g != nil && g.ToolPolicyRef != nil {
		refs = append(refs, g.ToolPolicyRef.Name)
	}
	for _, name := range refs {
		if strings.ContainsAny(name, "/:") {
			add("reference %q is not a bare name", name)
		}
	}
	return problems
}

// checkUpstream returns the problem of the compatibility mode; empty: none.
func checkUpstream(u *api.UpstreamSpec) string {
	switch {
	case u == nil:
	case !slices.Contains([]string{"", "off", "overlay"}, u.SigsAgentSandbox):
		return fmt.Sprintf("upstreamCompatibility.sigsAgentSandbox %q is not known", u.SigsAgentSandbox)
	case u.SigsAgentSandbox == "overlay" && (u.UpstreamSandboxRef == nil || u.UpstreamSandboxRef.Name == ""):
		return "upstreamCompatibility.upstreamSandboxRef is missing, which overlay needs"
	}
	return ""
}

// later adds a problem of the spec that is checked after the InferencePolicy and the endpoint, unless one of those is missing.
func (f *Facts) later(problem string) {
	if problem != "" && f.NoInference == "" && !f.NoEndpoint {
		f.Problems = append(f.Problems, problem)
	}
}

func gather(e *kit.Env) func(context.Context, *api.KarsSandbox, time.Time) (Facts, error) {
	return func(ctx context.Context, o *api.KarsSandbox, _ time.Time) (Facts, error) {
		f := Facts{Problems: Check(o.Spec), NoEndpoint: e.InferenceEndpoint == "", Generation: o.Generation, Suspended: o.Spec.Suspended}
		if o.Spec.Runtime.Kind != byo && e.RuntimeImages[o.Spec.Runtime.Kind] == "" {
			f.NoAdapter = o.Spec.Runtime.Kind
		}
		f.NoClass = isolation(o) == confidential && e.ConfidentialClass == ""
		outcome, err := look(ctx, e, o)
		if err != nil {
			return f, err
		}
		f.Allowlist = JudgeAllowlist(o.Spec.NetworkPolicy, e.RequireSigned, outcome, o.Status.Conditions, o.Status.AllowlistDigest)
		for _, step := range []func(context.Context, *kit.Env, *api.KarsSandbox, *Facts) error{inference, upstream, tools, memory, agent, servers,
			evals, space, workload} {
			if err := step(ctx, e, o, &f); err != nil {
				return f, err
			}
		}
		if u := o.Spec.UpstreamCompatibility; u != nil && !f.Blocked() {
			f.Overlay = u.SigsAgentSandbox == "overlay"
		}
		if f.Allowlist.Declared {
			f.Expected = append(f.Expected,
				Expected{digest.EgressAllowlist, digest.Of(digest.EgressAllowlist, digest.Allowlist(f.Allowlist.Endpoints))})
		}
		return f, router(e, o, &f)
	}
}

// inference looks at the InferencePolicy and the artifact that it publishes.
func inference(ctx context.Context, e *kit.Env, o *api.KarsSandbox, f *Facts) error {
	name := o.Spec.InferenceRef.Name
	if name == "" {
		return nil
	}
	policy := &api.InferencePolicy{}
	exists, err := e.Children.Exists(ctx, client.ObjectKey{Namespace: o.Namespace, Name: name}, policy)
	if err != nil {
		return err
	}
	if !exists {
		f.NoInference = name
		return nil
	}
	if m := policy.Spec.ModelPreference; m != nil && (strings.TrimSpace(m.Primary.Provider) == "" ||
		strings.TrimSpace(m.Primary.Deployment) == "") {
		f.Problems = append(f.Problems, fmt.Sprintf("InferencePolicy %s has no primary deployment", name))
	}
	if a := policy.Spec.AppliesTo; a.SandboxName != "" && a.SandboxName != o.Name || !kit.Selects(a.SandboxMatchLabels, o) {
		f.Problems = append(f.Problems, fmt.Sprintf("InferencePolicy %s does not apply to this sandbox", name))
	}
	if policy.Spec.TokenBudget == nil && policy.Spec.ModelPreference == nil {
		return nil // nothing that a router enforces
	}
	f.Expected = append(f.Expected, Expected{digest.InferencePolicy, inferencepolicy.Digest(policy)})
	return nil
}

func upstream(_ context.Context, _ *kit.Env, o *api.KarsSandbox, f *Facts) error {
	f.later(checkUpstream(o.Spec.UpstreamCompatibility))
	return nil
}

// tools looks at the ToolPolicy and the artifact that it publishes.
func tools(ctx context.Context, e *kit.Env, o *api.KarsSandbox, f *Facts) error {
	name := kit.ToolPolicyOf(o)
	if name == "" {
		return nil
	}
	policy := &api.ToolPolicy{}
	exists, err := e.Children.Exists(ctx, client.ObjectKey{Namespace: o.Namespace, Name: name}, policy)
	if err != nil {
		return err
	}
	if !exists {
		f.NoToolPolicy = name
		return nil
	}
	if !kit.Selects(policy.Spec.AppliesTo.SandboxMatchLabels, o) {
		f.later(fmt.Sprintf("ToolPolicy %s does not apply to this sandbox: its labels are not those of appliesTo.sandboxMatchLabels", name))
	}
	if policy.Spec.AgtProfile == nil {
		f.later(fmt.Sprintf("ToolPolicy %s has no profile", name))
		return nil
	}
	f.Expected = append(f.Expected, Expected{digest.AgtProfile, toolpolicy.Digest(policy)})
	return nil
}

// memory looks at the KarsMemory, the artifact that it publishes, and whether its store has been seen.
func memory(ctx context.Context, e *kit.Env, o *api.KarsSandbox, f *Facts) error {
	name := kit.MemoryOf(o)
	if name == "" {
		return nil
	}
	m := &api.KarsMemory{}
	exists, err := e.Children.Exists(ctx, client.ObjectKey{Namespace: o.Namespace, Name: name}, m)
	if err != nil {
		return err
	}
	ready := meta.FindStatusCondition(m.Status.Conditions, karsmemory.TypeReady)
	switch {
	case !exists:
		f.Absent = append(f.Absent, "KarsMemory "+name)
		return nil
	case ready != nil && ready.Reason == karsmemory.ReasonAwaitingFoundryProvisioning && !meta.IsStatusConditionTrue(m.Status.Conditions,
		karsmemory.TypeDegraded):
		f.Unprovisioned = fmt.Sprintf("KarsMemory %s: %s", name, ready.Message)
	}
	if ref := m.Spec.SandboxRef; ref != nil && ref.Name != o.Name {
		f.Problems = append(f.Problems, fmt.Sprintf("KarsMemory %s is that of sandbox %s", name, ref.Name))
	}
	if m.Spec.StoreName == "" {
		return nil
	}
	f.Expected = append(f.Expected, Expected{digest.Memory, karsmemory.Digest(m)})
	return nil
}

// agent looks at the A2AAgent whose card the router gets.
func agent(ctx context.Context, e *kit.Env, o *api.KarsSandbox, f *Facts) error {
	name := kit.AgentOf(o)
	if name == "" {
		return nil
	}
	exists, err := e.Children.Exists(ctx, client.ObjectKey{Namespace: o.Namespace, Name: name}, &api.A2AAgent{})
	if err == nil && !exists {
		f.Absent = append(f.Absent, "A2AAgent "+name)
	}
	return err
}

// servers looks at the McpServers, and which of them allow the sandbox.
func servers(ctx context.Context, e *kit.Env, o *api.KarsSandbox, f *Facts) error {
	for _, name := range kit.McpServersOf(o) {
		server := &api.McpServer{}
		exists, err := e.Children.Exists(ctx, client.ObjectKey{Namespace: o.Namespace, Name: name}, server)
		switch {
		case err != nil:
			return err
		case !exists:
			f.Absent = append(f.Absent, "McpServer "+name)
		case mcpserver.Allows(server, o):
			f.Servers = append(f.Servers, name)
		default:
			f.Denied = append(f.Denied, name)
		}
	}
	return nil
}

// evals looks for evaluations whose verdict is to degrade the sandbox. It goes with the next run that passes, the flag, or the evaluation.
func evals(ctx context.Context, e *kit.Env, o *api.KarsSandbox, f *Facts) error {
	var list api.KarsEvalList
	if err := e.Manager.GetClient().List(ctx, &list, client.InNamespace(o.Namespace),
		client.MatchingFields{kit.ByTarget: o.Name}); err != nil {
		return err
	}
	var drifted []string
	for i := range list.Items {
		eval := &list.Items[i]
		if eval.Spec.FailSandboxOnDrift && eval.DeletionTimestamp.IsZero() && meta.IsStatusConditionTrue(eval.Status.Conditions,
			"ConformanceDrift") {
			drifted = append(drifted, eval.Name)
		}
	}
	if slices.Sort(drifted); len(drifted) > 0 {
		f.Drift = "found by " + strings.Join(drifted, ", ")
	}
	return nil
}

// Rendered reports whether a sandbox had its workload rendered, by its status: then it has had its namespace, also if no claim of that is
// stored, which former versions did not.
func Rendered(o client.Object) bool {
	sandbox, is := o.(*api.KarsSandbox)
	return is && meta.FindStatusCondition(sandbox.Status.Conditions, TypeRuntimeReady) != nil
}

// space looks at the namespace of the sandbox: it is its own, or that of another sandbox of the same name, or not there.
func space(ctx context.Context, e *kit.Env, o *api.KarsSandbox, f *Facts) error {
	n := &corev1.Namespace{}
	exists, err := e.Children.Exists(ctx, client.ObjectKey{Name: kit.SandboxNamespace(o.Name)}, n)
	if err != nil || !exists {
		return err
	}
	var owned *child.OwnedError
	if err := e.Children.Owns(ctx, o, n); errors.As(err, &owned) {
		f.Taken = err.Error()
	} else if err != nil {
		return err
	}
	f.Space = f.Taken == ""
	return nil
}

// workload looks at the Deployments of the router and the agent.
func workload(ctx context.Context, e *kit.Env, o *api.KarsSandbox, f *Facts) error {
	if !f.Space {
		f.Missing = true
		return nil
	}
	router, routed, err := deployed(ctx, e, o, o.Name)
	if err != nil {
		return err
	}
	agent, hosted, err := deployed(ctx, e, o, kit.AgentName(o.Name))
	if err != nil {
		return err
	}
	f.Missing = !routed || !hosted
	f.observe(router, agent)
	return nil
}

// deployed returns a Deployment of a sandbox; an empty one where there is none.
func deployed(ctx context.Context, e *kit.Env, o *api.KarsSandbox, name string) (*appsv1.Deployment, bool, error) {
	d := &appsv1.Deployment{}
	exists, err := e.Children.Exists(ctx, client.ObjectKey{Namespace: kit.SandboxNamespace(o.Name), Name: name}, d)
	return d, exists, err
}

// observe adds the statuses of the Deployments. The sandbox is available once both are.
func (f *Facts) observe(router, agent *appsv1.Deployment) {
	routes, broken := available(router)
	runs, failed := available(agent)
	f.Routed, f.Available, f.Broken = routes, routes && runs, cmp.Or(broken, failed)
	f.Running = running(router) || running(agent)
}

// running reports whether a Deployment has pods, or may get some. An empty one does not exist.
func running(d *appsv1.Deployment) bool {
	return d.UID != "" && (d.Spec.Replicas == nil || *d.Spec.Replicas > 0 || d.Status.Replicas > 0 ||
		d.Status.ObservedGeneration < d.Generation)
}

// available reports whether a Deployment is, and what failure it reports. One that others have scaled to nothing is not available.
func available(d *appsv1.Deployment) (up bool, broken string) {
	if d.Status.ObservedGeneration < d.Generation {
		return false, ""
	}
	scaled := d.Spec.Replicas == nil || *d.Spec.Replicas > 0
	for _, c := range d.Status.Conditions {
		switch {
		case c.Type == appsv1.DeploymentAvailable && c.Status == corev1.ConditionTrue:
			up = scaled && d.Status.AvailableReplicas > 0
		case c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue,
			c.Type == appsv1.DeploymentProgressing && c.Status == corev1.ConditionFalse && c.Reason == "ProgressDeadlineExceeded":
			broken = fmt.Sprintf("Deployment %s reports %s: %s", d.Name, c.Reason, c.Message)
		}
	}
	return up, broken
}

// router compares the artifacts that the router of the sandbox has loaded with the expected ones.
func router(e *kit.Env, o *api.KarsSandbox, f *Facts) error {
	key := client.ObjectKeyFromObject(o)
	switch {
	case f.Blocked() || f.Taken != "":
		e.Poller.Unwatch(key, echo.Off("the sandbox cannot run"))
	case f.Overlay:
		e.Poller.Unwatch(key, echo.Off("another controller runs the sandbox"))
	case f.Suspended:
		e.Poller.Unwatch(key, echo.Off("the sandbox is suspended"))
	case !f.Routed: // a watch reports the end of that: there is no router to ask until then
		e.Poller.Unwatch(key, errors.New("the Deployment is not available"))
	default:
		e.Poller.Watch(key)
	}
	report, known := e.Store.Get(key)
	if !known {
		return operator.ErrNotYet
	}
	f.Router = report.Err
	for _, want := range f.Expected {
		if want.Digest == "" || !report.Reports(want.Kind, want.Digest) {
			f.Lag = append(f.Lag, want.Kind)
		}
	}
	slices.Sort(f.Lag)
	e.Poller.Await(key, "KarsSandbox", len(f.Lag) > 0)
	if entry, ok := report.Entry(digest.Memory); ok && entry.LastError != nil && kit.MemoryOf(o) != "" {
		if why, refused := strings.CutPrefix(*entry.LastError, echo.PrefixAuth); refused {
			f.Refused = strings.TrimSpace(why)
		}
		if why, missing := strings.CutPrefix(*entry.LastError, echo.PrefixMissing); missing {
			f.StoreMissing = strings.TrimSpace(why)
		}
	}
	return nil
}
