// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/cli"
	api "github.com/tristate/tristate/operators/kars/api/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// namespace is where the story is played; sandbox is whom it is about.
const (
	namespace = "team-red"
	sandbox   = "assistant"
)

// play is the story.
func (s *stage) play(ctx context.Context) error {
	for _, chapter := range []func(context.Context) error{s.comesUp, s.profile, s.refusal, s.expiry} {
		if err := chapter(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) comesUp(ctx context.Context) error {
	s.say("A sandbox comes up with a policy for its models, one for its tools, and a memory.")
	if err := s.apply(ctx, `
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
metadata: {name: assistant}
spec:
  runtime: {kind: OpenClaw}
  inferenceRef: {name: models}
  memoryRef: {name: notes}
  governance: {toolPolicyRef: {name: tools}}
`); err != nil {
		return err
	}
	if err := s.wait(ctx, "toolpolicy/tools", "inferencepolicy/models"); err != nil {
		return err
	}
	s.say("The router has loaded all three artifacts and reported their digests. Nobody has seen the memory store yet.")
	if err := s.reach(ctx, "KarsSandbox", sandbox, "Ready=False AwaitingFoundryProvisioning"); err != nil {
		return err
	}
	s.show(ctx, "tree", "karssandbox/assistant")
	s.show(ctx, "why", "karssandbox/assistant")
	s.say("The runtime makes its first call to the memory, and the store answers.")
	if err := s.call(ctx, http.StatusOK); err != nil {
		return err
	}
	if err := s.wait(ctx, "karssandbox/assistant", "karsmemory/notes"); err != nil {
		return err
	}
	s.show(ctx, "tree", "karssandbox/assistant")
	return nil
}

func (s *stage) profile(ctx context.Context) error {
	s.say("The profile is edited: Ready falls at once, and stays so until the router reports the new digest. The ConfigMap is on its way to the pod.")
	s.kubelet.Hold(true)
	if err := s.patch(ctx, "ToolPolicy", "tools", `{"spec":{"agtProfile":{"inline":"tools: {allow: [search, calendar]}"}}}`); err != nil {
		return err
	}
	if err := s.reach(ctx, "ToolPolicy", "tools", "Ready=False AwaitingRouterEnforcement"); err != nil {
		return err
	}
	if err := s.reach(ctx, "KarsSandbox", sandbox, "Ready=False AwaitingRouterEnforcement"); err != nil {
		return err
	}
	s.show(ctx, "tree", "karssandbox/assistant")
	s.show(ctx, "why", "toolpolicy/tools")
	s.say("The file is there; the router loads it.")
	s.kubelet.Hold(false)
	if err := s.wait(ctx, "toolpolicy/tools", "karssandbox/assistant"); err != nil {
		return err
	}
	s.show(ctx, "tree", "karssandbox/assistant")
	return nil
}

func (s *stage) refusal(ctx context.Context) error {
	s.say("The memory store answers 403. The router reports it; the memory fails, and the sandbox goes on, degraded.")
	if err := s.call(ctx, http.StatusForbidden); err != nil {
		return err
	}
	if err := s.reach(ctx, "KarsSandbox", sandbox, "Ready=True RouterEnforcing", "Degraded=True AuthMisconfigured"); err != nil {
		return err
	}
	if err := s.reach(ctx, "KarsMemory", "notes", "Degraded=True AuthMisconfigured"); err != nil {
		return err
	}
	s.show(ctx, "tree", "karssandbox/assistant")
	s.show(ctx, "why", "karssandbox/assistant")
	s.say("The role is assigned again, and the next call goes through.")
	if err := s.call(ctx, http.StatusOK); err != nil {
		return err
	}
	return s.wait(ctx, "karssandbox/assistant", "karsmemory/notes")
}

func (s *stage) expiry(ctx context.Context) error {
	s.say("An incident: one more host is granted for an hour.")
	if err := s.apply(ctx, `
kind: EgressApproval
metadata: {name: incident}
spec: {sandbox: assistant, hosts: [{host: status.example.com}], reason: the provider is down, ttl: PT1H}
`); err != nil {
		return err
	}
	if err := s.wait(ctx, "egressapproval/incident"); err != nil {
		return err
	}
	s.show(ctx, "tree", "egressapproval/incident")
	s.say("Two hours later, by the operator's clock.")
	s.ahead.Store(int64(2 * time.Hour))
	if err := s.operator.Wake(ctx); err != nil {
		return err
	}
	if err := s.reach(ctx, "EgressApproval", "incident", "Ready=False Expired", "Degraded=True Expired"); err != nil {
		return err
	}
	s.show(ctx, "why", "egressapproval/incident")
	s.show(ctx, "tree", "karssandbox/assistant")
	return nil
}

// say begins a step.
func (s *stage) say(text string) {
	time.Sleep(s.Pace)
	s.step++
	fmt.Fprintf(s.Out, "\n══ %d. %s\n", s.step, text)
}

// apply creates objects from YAML, and prints it.
func (s *stage) apply(ctx context.Context, documents ...string) error {
	for _, text := range documents {
		fmt.Fprintln(s.Out, "  "+strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  "))
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
			return err
		}
		u.SetAPIVersion(api.GroupVersion.String())
		u.SetNamespace(namespace)
		if err := s.api.Create(ctx, u); err != nil {
			return err
		}
	}
	return nil
}

// patch edits an object, and prints how.
func (s *stage) patch(ctx context.Context, kind, name, patch string) error {
	fmt.Fprintf(s.Out, "  $ kubectl patch %s/%s --type merge -p '%s'\n", strings.ToLower(kind), name, patch)
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(api.GroupVersion.WithKind(kind))
	u.SetNamespace(namespace)
	u.SetName(name)
	return s.api.Patch(ctx, u, client.RawPatch(types.MergePatchType, []byte(patch)))
}

// call has the runtime call its memory store, which answers with a code.
func (s *stage) call(ctx context.Context, code int) error {
	s.store.Store(int64(code))
	return s.until(ctx, func() error {
		address := s.kubelet.Address("kars-"+sandbox, 8443)
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/memory/today", nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		if err := response.Body.Close(); err != nil {
			return err
		}
		if response.StatusCode != code {
			return fmt.Errorf("the memory answers %d, want %d", response.StatusCode, code)
		}
		return nil
	})
}

// reach waits until an object has all cells.
func (s *stage) reach(ctx context.Context, kind, name string, cells ...string) error {
	return s.until(ctx, func() error {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(api.GroupVersion.WithKind(kind))
		if err := s.api.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, u); err != nil {
			return err
		}
		list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		var have []string
		for _, c := range list {
			if c, ok := c.(map[string]any); ok {
				have = append(have, fmt.Sprintf("%v=%v %v", c["type"], c["status"], c["reason"]))
			}
		}
		for _, cell := range cells {
			if !slices.Contains(have, cell) {
				return fmt.Errorf("%s/%s has %s, not %s", kind, name, strings.Join(have, ", "), cell)
			}
		}
		return nil
	})
}

// until repeats a check until it holds.
func (s *stage) until(ctx context.Context, check func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := check()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// wait runs tristate wait for objects.
func (s *stage) wait(ctx context.Context, objects ...string) error {
	if code := s.show(ctx, append([]string{"wait"}, append(objects, "--timeout", patience.String())...)...); code != 0 {
		return fmt.Errorf("tristate wait %s: exit code %d", strings.Join(objects, " "), code)
	}
	return nil
}

// show runs a command of tristate and prints it with its output.
func (s *stage) show(ctx context.Context, args ...string) int {
	args = append(args, "-n", namespace)
	fmt.Fprintf(s.Out, "  $ tristate %s\n", strings.Join(args, " "))
	var out bytes.Buffer
	app := cli.New()
	app.Out, app.Err, app.Now = &out, &out, s.now
	code := app.Run(ctx, append(args, "--kubeconfig", s.plane.Kubeconfig()))
	for line := range strings.Lines(out.String()) {
		fmt.Fprint(s.Out, "  ", line)
	}
	return code
}
