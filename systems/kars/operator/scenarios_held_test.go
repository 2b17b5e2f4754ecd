// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// childKinds are the kinds of the components of a sandbox.
var childKinds = []schema.GroupVersionKind{corev1.SchemeGroupVersion.WithKind("Namespace"),
	corev1.SchemeGroupVersion.WithKind("ServiceAccount"),
	corev1.SchemeGroupVersion.WithKind("ConfigMap"), corev1.SchemeGroupVersion.WithKind("Service"),
	corev1.SchemeGroupVersion.WithKind("Secret"),
	networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy"), appsv1.SchemeGroupVersion.WithKind("Deployment")}

// edit is an edit of a child by hand.
type edit struct {
	kind, name string
	patch      string // a merge patch; empty: it is deleted
}

// edits are edits of every kind of child of sandbox NAME: changed, added and removed content.
var edits = map[string]edit{
	"image of the router": {"Deployment", "NAME", `{"spec":{"template":{"spec":{"containers":[{"name":"router","image":"evil"}]}}}}`},
	"image of the agent": {"Deployment", "NAME-agent",
		`{"spec":{"template":{"spec":{"containers":[{"name":"runtime","image":"evil"}]}}}}`},
	"another proxy": {"Deployment", "NAME-agent",
		`{"spec":{"template":{"spec":{"containers":[{"name":"runtime","image":"openclaw","env":[{"name":"HTTPS_PROXY","value":"http://192.0.2.1"}]}]}}}}`},
	"replicas":              {"Deployment", "NAME", `{"spec":{"replicas":0}}`},
	"replicas of the agent": {"Deployment", "NAME-agent", `{"spec":{"replicas":0}}`},
	"another container": {"Deployment", "NAME",
		`{"spec":{"template":{"spec":{"hostNetwork":true,"initContainers":[{"name":"evil","image":"evil"}]}}}}`},
	"open ingress":            {"NetworkPolicy", "sandbox-policy", `{"spec":{"ingress":[{}]}}`},
	"open egress":             {"NetworkPolicy", "agent-policy", `{"spec":{"egress":[{}]}}`},
	"another way in":          {"NetworkPolicy", "router-policy", `{"spec":{"ingress":[{}]}}`},
	"no restriction":          {"Namespace", "kars-NAME", `{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"privileged"}}}`},
	"another selector":        {"Service", "NAME", `{"spec":{"selector":{"app":"evil"}}}`},
	"another port":            {"Service", "NAME", `{"spec":{"externalIPs":["192.0.2.1"]}}`},
	"the list":                {"ConfigMap", "karssandbox-NAME-egress-allowlist", `{"data":{"allowlist.json":"{}"}}`},
	"another key":             {"ConfigMap", "karssandbox-NAME-egress-allowlist", `{"data":{"evil.json":"{}"}}`},
	"label of the namespace":  {"Namespace", "kars-NAME", `{"metadata":{"labels":{"kars.azure.com/sandbox-namespace":"evil"}}}`},
	"no label of the manager": {"Service", "NAME", `{"metadata":{"labels":{"app.kubernetes.io/managed-by":null}}}`},
	"no mark":                 {"NetworkPolicy", "sandbox-policy", `{"metadata":{"annotations":{"kars.azure.com/owner":null}}}`},
	"no managed fields": {"ConfigMap", "karssandbox-NAME-egress-allowlist",
		`{"metadata":{"managedFields":[{}]},"data":{"allowlist.json":"[]"}}`},
	"no Deployment":            {"Deployment", "NAME", ""},
	"no agent":                 {"Deployment", "NAME-agent", ""},
	"no policy of the agent":   {"NetworkPolicy", "agent-policy", ""},
	"no NetworkPolicy":         {"NetworkPolicy", "sandbox-policy", ""},
	"no Service":               {"Service", "NAME", ""},
	"no ServiceAccount":        {"ServiceAccount", "NAME", ""},
	"no ConfigMap":             {"ConfigMap", "karssandbox-NAME-egress-allowlist", ""},
	"a ServiceAccount's token": {"ServiceAccount", "NAME", `{"automountServiceAccountToken":true}`},
}

// claimed are edits under the manager name of the operator, which leave the fields of its apply as they are.
var claimed = map[string]edit{
	"another way in as the operator": edits["another way in"], "open egress as the operator": edits["open egress"],
}

// held tests that every child is as the operator wrote it, whoever edits or deletes it, while the operator runs and after it was stopped.
func held(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	w.Create(t, newInferencePolicy(ns, "models"))
	sandbox := newSandbox(ns, "held")
	sandbox.Spec.NetworkPolicy = &api.NetworkSpec{AllowedEndpoints: []api.Endpoint{{Host: "good.example.com"}}}
	w.Create(t, sandbox)
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")
	want := w.contents(t, "held")
	for name, e := range edits {
		start := time.Now()
		w.byHand(t, "held", e)
		w.restored(t, "held", name, want)
		t.Logf("%s: restored in %s", name, time.Since(start).Round(100*time.Millisecond))
	}
	for name, e := range claimed {
		w.asOperator(t, "held", e)
		w.restored(t, "held", name, want)
	}
	world.Eventually(t, func() error { // one is counted once the API server has answered
		if n := w.total(t, "kars_controller_children_repaired_total"); n < float64(len(edits)+len(claimed)) {
			return fmt.Errorf("%v repairs are counted, want at least %d", n, len(edits)+len(claimed))
		}
		return nil
	})

	// A sandbox that others have scaled to nothing is not Ready until it runs again.
	const runs = "Running Ready=True RouterEnforcing Progressing=False Reconciled Degraded=False Reconciled RuntimeReady=True Reconciled"
	settled := func() {
		t.Helper()
		world.Eventually(t, func() error {
			if have := w.status(t, sandbox); have != runs {
				return fmt.Errorf("the status is %s, want %s", have, runs)
			}
			return nil
		})
	}
	for _, name := range []string{"replicas", "replicas of the agent"} {
		settled()
		w.Seen.Skip(t, sandbox)
		w.byHand(t, "held", edits[name])
		w.Seen.Reach(t, sandbox, "Ready=False Created")
	}
	settled()

	// A status that others have written, or removed, is corrected. It may still be that of a sandbox that starts again: Deployments follow
	// the edits above in several steps.
	for what, change := range map[string]func(*api.KarsSandboxStatus){
		"another phase": func(s *api.KarsSandboxStatus) { s.Phase = "Wonderful" },
		"another reason": func(s *api.KarsSandboxStatus) {
			for i := range s.Conditions {
				if c := &s.Conditions[i]; c.Type == "Ready" {
					c.Status, c.Reason = metav1.ConditionFalse, "Failed"
				}
			}
		},
		"no conditions": func(s *api.KarsSandboxStatus) { s.Conditions = nil },
		"no status":     func(s *api.KarsSandboxStatus) { *s = api.KarsSandboxStatus{} },
	} {
		world.Eventually(t, func() error {
			w.status(t, sandbox)
			change(&sandbox.Status)
			return w.API.Status().Update(t.Context(), sandbox, client.FieldOwner("somebody"))
		})
		after := ""
		looks := func() { w.Wake(t) } // it may not have seen the change yet, and of many changes it sees the last ones after half a minute
		if !world.Settle(t, func() bool { after = w.status(t, sandbox); return after == runs }, looks) {
			t.Fatalf("%s: the status is %s, want %s", what, after, runs)
		}
	}

	tokens(t, w, sandbox)
	want = w.contents(t, "held") // with other tokens

	// While the operator does not run.
	if err := w.Stop(); err != nil {
		t.Fatal(err)
	}
	for _, e := range edits {
		if e.patch != "" && e.kind != "Namespace" {
			w.byHand(t, "held", e)
		}
	}
	w.byHand(t, "held", edits["no NetworkPolicy"])
	w.run(t)
	w.restored(t, "held", "edits before the start", want)
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")
	w.Leave(t, sandbox)
}

// tokens tests the Secrets of a sandbox: the API server refuses other content, and one that is deleted is made anew, with which router and
// agent go on.
func tokens(t *testing.T, w *kars, sandbox *api.KarsSandbox) {
	t.Helper()
	namespace := kit.SandboxNamespace(sandbox.Name)
	for _, name := range []string{kit.TokenSecret, kit.AgentTokenSecret} {
		secret := &corev1.Secret{ObjectMeta: meta(namespace, name)}
		for what, patch := range map[string]string{"another token": `{"stringData":{"token":"evil"}}`, "no token": `{"data":{"token":null}}`,
			"another key":             `{"stringData":{"evil":"evil"}}`,
			"one that can be changed": `{"immutable":false}`} {
			if err := w.API.Patch(t.Context(), secret, client.RawPatch(types.MergePatchType, []byte(patch))); !apierrors.IsInvalid(err) {
				t.Errorf("%s has %s: %v", name, what, err)
			}
		}
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
			t.Fatal(err)
		}
		former := string(secret.Data[kit.TokenKey])
		time.Sleep(time.Second) // creation has the precision of a second
		w.Remove(t, secret)
		w.Wake(t) // the operator sees no Secrets, and looks twice a minute
		world.Eventually(t, func() error {
			if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
				return err
			}
			if now := string(secret.Data[kit.TokenKey]); len(now) != len(former) || now == former {
				return fmt.Errorf("%s is %d characters, or as before", name, len(now))
			}
			return nil
		})
		var agent appsv1.Deployment
		world.Eventually(t, func() error {
			if err := w.API.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: kit.AgentName(sandbox.Name)}, &agent); err != nil {
				return err
			}
			if again := agent.Spec.Template.Annotations["kars.azure.com/token-issued"] != ""; again != (name == kit.AgentTokenSecret) {
				return fmt.Errorf("after %s was deleted the agent starts again: %v", name, again)
			}
			return nil
		})
		world.Eventually(t, func() error {
			code, err := w.asAgent(t, sandbox.Name, "/memory/none")
			if err == nil && code == http.StatusUnauthorized {
				err = errors.New("the router does not know the agent")
			}
			return err
		})
		world.Eventually(t, func() error {
			if have := w.cell(t, sandbox, "Ready"); have != "True RouterEnforcing" {
				return fmt.Errorf("Ready is %s", have)
			}
			return nil
		})
	}
}

// status returns the phase and the conditions of a sandbox without times.
func (w *kars) status(t *testing.T, sandbox *api.KarsSandbox) string {
	t.Helper()
	if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(sandbox), sandbox); err != nil {
		t.Fatal(err)
	}
	text := sandbox.Status.Phase
	for _, name := range []string{"Ready", "Progressing", "Degraded", "RuntimeReady"} {
		for _, c := range sandbox.Status.Conditions {
			if c.Type == name {
				text += fmt.Sprintf(" %s=%s %s", c.Type, c.Status, c.Reason)
			}
		}
	}
	return text
}

// byHand edits or deletes a child.
func (w *kars) byHand(t *testing.T, sandbox string, e edit) {
	t.Helper()
	o := e.object(sandbox)
	if e.patch == "" {
		w.Remove(t, o)
		return
	}
	if err := w.API.Patch(t.Context(), o, client.RawPatch(types.MergePatchType, []byte(e.patch)), client.FieldOwner("somebody")); err != nil {
		t.Fatalf("%+v: %v", e, err)
	}
}

// asOperator makes an edit under the manager name of the operator: a forced apply of the whole object.
func (w *kars) asOperator(t *testing.T, sandbox string, e edit) {
	t.Helper()
	o := e.object(sandbox)
	err := w.API.Patch(t.Context(), o, client.RawPatch(types.MergePatchType, []byte(e.patch)), client.DryRunAll)
	if err == nil {
		o.SetManagedFields(nil)
		o.SetResourceVersion("")
		delete(o.Object, "status")
		err = w.API.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(o), client.FieldOwner(kit.Manager), client.ForceOwnership)
	}
	if err != nil {
		t.Fatalf("%+v: %v", e, err)
	}
}

// object returns the child of a sandbox that an edit is about.
func (e edit) object(sandbox string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	for _, gvk := range childKinds {
		if gvk.Kind == e.kind {
			o.SetGroupVersionKind(gvk)
		}
	}
	if o.SetName(strings.ReplaceAll(e.name, "NAME", sandbox)); e.kind != "Namespace" {
		o.SetNamespace(kit.SandboxNamespace(sandbox))
	}
	return o
}

// contents returns the content of the children of a sandbox, without what the API server and other controllers add.
func (w *kars) contents(t *testing.T, sandbox string) map[string]string {
	t.Helper()
	out, address := map[string]string{}, ""
	for _, o := range w.components(t, sandbox) {
		u := o.(*unstructured.Unstructured).DeepCopy()
		key := u.GetKind() + " " + u.GetName()
		labels, owner := u.GetLabels(), u.GetAnnotations()["kars.azure.com/owner"]
		if u.GetKind() == "Service" { // addresses are given anew
			address, _, _ = unstructured.NestedString(u.Object, "spec", "clusterIP")
			for _, field := range []string{"clusterIP", "clusterIPs"} {
				unstructured.RemoveNestedField(u.Object, "spec", field)
			}
		}
		for _, field := range []string{"metadata", "status"} {
			delete(u.Object, field)
		}
		out[key] = encode(t, map[string]any{"content": u.Object, "labels": labels, "owner": owner})
	}
	if agent := "Deployment " + kit.AgentName(sandbox); address != "" {
		out[agent] = strings.ReplaceAll(out[agent], address, "ADDRESS")
	}
	return out
}

// restored waits until the children of a sandbox have their content again.
func (w *kars) restored(t *testing.T, sandbox, what string, want map[string]string) {
	t.Helper()
	world.Eventually(t, func() error {
		have := w.contents(t, sandbox)
		for key, content := range want {
			if have[key] != content {
				return fmt.Errorf("%s: %s is\n%s, want\n%s", what, key, have[key], content)
			}
		}
		if len(have) != len(want) {
			return fmt.Errorf("%s: %d children, want %d", what, len(have), len(want))
		}
		return nil
	})
}

// total returns the sum of a metric of the operator.
func (w *kars) total(t *testing.T, name string) (sum float64) {
	t.Helper()
	families, err := w.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == name {
			for _, m := range family.GetMetric() {
				sum += m.GetCounter().GetValue()
			}
		}
	}
	return sum
}

// fought tests another writer who changes a child again and again: the operator stops after some repairs, says so, and tries again later.
func fought(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	w.Create(t, newInferencePolicy(ns, "models"))
	sandbox := newSandbox(ns, "fought")
	w.Create(t, sandbox)
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")
	policy := &networkingv1.NetworkPolicy{ObjectMeta: meta(kit.SandboxNamespace("fought"), "sandbox-policy")}
	repairs := 0
	for w.cell(t, sandbox, "Ready") != "False Failed" {
		if repairs++; repairs > 20 {
			t.Fatal("20 repairs, and no end")
		}
		w.byHand(t, "fought", edits["open ingress"])
		world.Eventually(t, func() error {
			if w.cell(t, sandbox, "Ready") == "False Failed" {
				return nil
			}
			if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(policy), policy); err != nil {
				return err
			}
			if len(policy.Spec.Ingress) != 0 {
				return errors.New("it is not repaired")
			}
			return nil
		})
	}
	if c, want := w.Condition(t, sandbox, "Ready"),
		"NetworkPolicy kars-fought/sandbox-policy is changed again and again, by somebody: spec.ingress; it is left as it is for a while"; c.Message != want {
		t.Errorf("message %q, want %q", c.Message, want)
	}
	w.event(t, sandbox, "ChildContested", 1)
	w.Later(t, 2*time.Minute)
	w.Seen.Reach(t, sandbox, "Ready=False Failed")
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")
	w.Leave(t, sandbox)
}

// cell returns "Status Reason" of a condition.
func (w *kars) cell(t *testing.T, o client.Object, conditionType string) string {
	t.Helper()
	c := w.Condition(t, o, conditionType)
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%s %s", c.Status, c.Reason)
}

// dynamic returns a client of an administrator for kinds that are not in the scheme, and for watches.
func (w *kars) dynamic(t *testing.T) dynamic.Interface {
	t.Helper()
	c, err := dynamic.NewForConfig(w.Config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// scheduled tests that the CronJob of an evaluation is held as well.
func scheduled(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	eval := &api.KarsEval{ObjectMeta: meta(ns, "nightly"), Spec: api.KarsEvalSpec{TargetSandboxRef: api.NameRef{Name: "none"},
		Schedule: "0 0 1 1 *"}}
	w.Create(t, eval)
	w.Seen.Reach(t, eval, "Ready=False TargetSandboxMissing")
	cron := &batchv1.CronJob{ObjectMeta: meta(ns, "karseval-nightly")}
	restored := func() {
		t.Helper()
		world.Eventually(t, func() error {
			if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(cron), cron); err != nil {
				return err
			}
			if cron.Spec.Schedule != "0 0 1 1 *" || !*cron.Spec.Suspend || !cron.DeletionTimestamp.IsZero() {
				return fmt.Errorf("schedule %s, suspended %v", cron.Spec.Schedule, *cron.Spec.Suspend)
			}
			return nil
		})
	}
	restored()
	world.Edit(t, w.World, cron, func(c *batchv1.CronJob) { c.Spec.Schedule, *c.Spec.Suspend = "* * * * *", false })
	restored()
	w.Remove(t, cron)
	restored()
	w.Remove(t, eval)
	w.Gone(t, eval)
}
