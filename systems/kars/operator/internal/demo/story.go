// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"fmt"
	"net/http"
	"time"

	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// sandbox is the sandbox of the story.
const sandbox = "assistant"

// Chapters of the story.
func (s *story) Chapters() []func(context.Context) {
	return []func(context.Context){s.comesUp, s.profile, s.refusal, s.expiry}
}

func (s *story) comesUp(ctx context.Context) {
	s.Say("A sandbox comes up with a policy for its models, one for its tools, and a memory.")
	s.Apply(ctx, `
kind: InferencePolicy
metadata: {name: models}
spec: {tokenBudget: {perRequestTokens: 4000}, modelPreference: {primary: {provider: azure, deployment: large}}}
`, `
kind: ToolPolicy
metadata: {name: tools}
spec: {appliesTo: {sandboxMatchLabels: {team: red}}, agtProfile: {inline: "tools: {allow: [search]}"}}
`, `
kind: KarsMemory
metadata: {name: notes}
spec: {storeName: notes, scope: red}
`, `
kind: KarsSandbox
metadata: {name: assistant, labels: {team: red}}
spec:
  runtime: {kind: OpenClaw}
  inferenceRef: {name: models}
  memoryRef: {name: notes}
  governance: {toolPolicyRef: {name: tools}}
`)
	s.Wait(ctx, "toolpolicy/tools", "inferencepolicy/models")
	s.Say("The router has loaded all three artifacts and reported their digests. The memory store has not been seen yet.")
	s.Reach(ctx, "KarsSandbox", sandbox, "Ready=False AwaitingFoundryProvisioning")
	s.Show(ctx, "tree", "karssandbox/assistant")
	s.Show(ctx, "why", "karssandbox/assistant")
	s.Say("The agent makes its first call to the memory, and the store answers.")
	s.call(ctx, http.StatusOK)
	s.Wait(ctx, "karssandbox/assistant", "karsmemory/notes")
	s.Show(ctx, "tree", "karssandbox/assistant")
}

func (s *story) profile(ctx context.Context) {
	s.Say("The profile is edited: Ready falls at once, and stays so until the router reports the new digest. The ConfigMap is on its way to " +
		"the pod.")
	s.kubelet.Hold(kit.SandboxNamespace(sandbox), true)
	s.Patch(ctx, "ToolPolicy", "tools", `{"spec":{"agtProfile":{"inline":"tools: {allow: [search, calendar]}"}}}`)
	s.Reach(ctx, "ToolPolicy", "tools", "Ready=False AwaitingRouterEnforcement")
	s.Reach(ctx, "KarsSandbox", sandbox, "Ready=False AwaitingRouterEnforcement")
	s.Show(ctx, "tree", "karssandbox/assistant")
	s.Show(ctx, "why", "toolpolicy/tools")
	s.Say("The file is there; the router loads it.")
	s.kubelet.Hold(kit.SandboxNamespace(sandbox), false)
	s.Wait(ctx, "toolpolicy/tools", "karssandbox/assistant")
	s.Show(ctx, "tree", "karssandbox/assistant")
}

func (s *story) refusal(ctx context.Context) {
	s.Say("The memory store answers 403. The router reports it; the memory fails, and the sandbox goes on, degraded.")
	s.call(ctx, http.StatusForbidden)
	s.Reach(ctx, "KarsSandbox", sandbox, "Ready=True RouterEnforcing", "Degraded=True AuthMisconfigured")
	s.Reach(ctx, "KarsMemory", "notes", "Degraded=True AuthMisconfigured")
	s.Show(ctx, "tree", "karssandbox/assistant")
	s.Show(ctx, "why", "karssandbox/assistant")
	s.Sample(ctx, "sandbox.yaml", kinds("KarsSandbox", "InferencePolicy", "ToolPolicy", "KarsMemory")...)
	s.Say("The role is assigned again, and the next call goes through.")
	s.call(ctx, http.StatusOK)
	s.Wait(ctx, "karssandbox/assistant", "karsmemory/notes", "--fail", "none") // they are failed until it reports
}

func (s *story) expiry(ctx context.Context) {
	s.Say("An incident: one more host is granted for an hour.")
	s.Apply(ctx, `
kind: EgressApproval
metadata: {name: incident}
spec: {sandbox: assistant, hosts: [{host: status.example.com}], reason: the provider is down, ttl: PT1H}
`)
	s.Wait(ctx, "egressapproval/incident")
	s.Show(ctx, "tree", "egressapproval/incident")
	s.Say("Two hours later, by the operator's clock.")
	s.Later(ctx, 2*time.Hour)
	s.Reach(ctx, "EgressApproval", "incident", "Ready=False Expired", "Degraded=True Expired")
	s.Show(ctx, "why", "egressapproval/incident")
	s.Sample(ctx, "incident.yaml", kinds("EgressApproval")...)
	s.Show(ctx, "tree", "karssandbox/assistant")
}

// kinds returns kinds of the operator.
func kinds(names ...string) []schema.GroupVersionKind {
	var out []schema.GroupVersionKind
	for _, name := range names {
		out = append(out, api.GroupVersion.WithKind(name))
	}
	return out
}

// call makes a call of the agent to its memory store, which answers with a code.
func (s *story) call(ctx context.Context, code int) {
	s.store.Store(int64(code))
	s.Until(ctx, func() error {
		answer, err := s.ask(ctx)
		if err == nil && answer != code {
			err = fmt.Errorf("the memory answers %d, want %d", answer, code)
		}
		return err
	})
}

// ask makes one call of the agent of the sandbox to its memory.
func (s *story) ask(ctx context.Context) (int, error) {
	var secret corev1.Secret
	if err := s.API.Get(ctx, client.ObjectKey{Namespace: kit.SandboxNamespace(sandbox), Name: kit.AgentTokenSecret}, &secret); err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.kubelet.Address(secret.Namespace, kit.AgentPort)+
		"/memory/today", nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+string(secret.Data[kit.TokenKey]))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// Stay plays the agent of the sandbox, which has no program: it asks its memory.
func (s *story) Stay(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
			_, _ = s.ask(ctx) // there may be no sandbox, or none any more
		}
	}
}
