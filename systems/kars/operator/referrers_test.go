// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// referrers tests a policy with three referrers, of which one lies about its profile and one sleeps: "Ready=True / RouterEnforcing only
// when at least one referencing sandbox's router has confirmed".
func referrers(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	tools := newToolPolicy(ns, "shared")
	w.Create(t, tools)
	w.Create(t, newInferencePolicy(ns, "models"))
	boxes := map[string]*api.KarsSandbox{}
	for _, name := range []string{"liar", "sleeper"} {
		box := newSandbox(ns, name)
		box.Spec.Governance = &api.GovernanceSpec{ToolPolicyRef: &api.NameRef{Name: "shared"}}
		box.Spec.Suspended = name == "sleeper"
		boxes[name] = box
	}
	w.lies.Store(kit.SandboxNamespace("liar"), true)
	w.Create(t, boxes["sleeper"])
	w.Seen.Reach(t, boxes["sleeper"], "Ready=False SuspendedBySpec")
	w.Seen.Reach(t, tools, "Ready=False AwaitingRouterEnforcement") // it sleeps, and nothing has confirmed
	w.Create(t, boxes["liar"])
	w.Seen.Reach(t, boxes["liar"], "Ready=False AwaitingRouterEnforcement")
	honest := newSandbox(ns, "honest")
	honest.Spec.Governance = &api.GovernanceSpec{ToolPolicyRef: &api.NameRef{Name: "shared"}}
	boxes["honest"] = honest
	w.Create(t, honest)
	w.Seen.Reach(t, honest, "Ready=True RouterEnforcing")
	world.Eventually(t, func() error {
		const want = "1 of 3 routers have loaded it; not of liar; off: sleeper"
		if c := w.Condition(t, tools, "Ready"); c == nil || c.Status != "True" || c.Reason != "RouterEnforcing" || c.Message != want {
			return fmt.Errorf("Ready is %v, want True RouterEnforcing: %s", c, want)
		}
		return nil
	})
	if c := w.Condition(t, boxes["liar"], "Ready"); c.Status == "True" {
		t.Errorf("the sandbox whose router lies is Ready: %s", c.Reason)
	}
	for _, box := range boxes {
		w.Leave(t, box)
	}
}

// liars answers for routers that lie, and otherwise asks the router.
type liars struct {
	*kars
	next http.RoundTripper
}

func (l liars) RoundTrip(r *http.Request) (*http.Response, error) {
	parts := strings.Split(r.URL.Hostname(), ".")
	if len(parts) < 2 {
		return l.next.RoundTrip(r)
	}
	if _, lies := l.lies.Load(parts[1]); !lies {
		return l.next.RoundTrip(r)
	}
	const lie = `{"schema_version":1,"count":1,"entries":[{"kind":"AgtProfile","digest":"sha256:lie","source_path":"","loaded_at":"","last_error":null}]}`
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(lie)), Request: r}, nil
}

// reported returns the digests that the router of a sandbox reports, by kind; nothing while it does not answer.
func (w *kars) reported(t *testing.T, sandbox string) map[string]string {
	t.Helper()
	var secret corev1.Secret
	if err := w.API.Get(t.Context(), client.ObjectKey{Namespace: kit.SandboxNamespace(sandbox), Name: kit.TokenSecret}, &secret); err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // it is asked again
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+w.Kubelet.Address(secret.Namespace, kit.RouterPort)+
		"/internal/policy-status", nil)
	if err != nil {
		return nil
	}
	request.Header.Set("Authorization", "Bearer "+string(secret.Data[kit.TokenKey]))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	var status struct {
		Entries []struct{ Kind, Digest string }
	}
	if json.NewDecoder(response.Body).Decode(&status) != nil {
		return nil
	}
	out := map[string]string{}
	for _, e := range status.Entries {
		out[e.Kind] = e.Digest
	}
	return out
}
