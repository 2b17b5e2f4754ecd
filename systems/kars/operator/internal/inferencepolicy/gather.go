// SPDX-License-Identifier: Apache-2.0

package inferencepolicy

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
)

var actions = []string{"", "*", "chat", "responses", "image", "embeddings"}

// Check returns the problems of a spec.
func Check(spec api.InferencePolicySpec) (problems []string) {
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if !slices.Contains(actions, spec.AppliesTo.Action) {
		add("appliesTo.action %q is not known", spec.AppliesTo.Action)
	}
	if b := spec.TokenBudget; b != nil && b.MonthlyTokens > 0 {
		if b.MonthlyTokens < b.DailyTokens {
			add("tokenBudget.monthlyTokens is less than dailyTokens")
		}
		if b.MonthlyTokens < b.PerRequestTokens {
			add("tokenBudget.monthlyTokens is less than perRequestTokens")
		}
	}
	if m := spec.ModelPreference; m != nil {
		for i, model := range append([]api.ModelRef{m.Primary}, m.Fallback...) {
			if strings.TrimSpace(model.Provider) == "" || strings.TrimSpace(model.Deployment) == "" {
				add("modelPreference: model %d has no provider or no deployment", i)
			}
		}
	}
	return problems
}

// profile is the artifact that a router enforces.
type profile struct {
	SchemaVersion   int                  `json:"schemaVersion"`
	Action          string               `json:"action,omitempty"`
	TokenBudget     *api.TokenBudget     `json:"tokenBudget,omitempty"`
	ModelPreference *api.ModelPreference `json:"modelPreference,omitempty"`
}

// compile returns the artifact of a spec.
func compile(spec api.InferencePolicySpec) []byte {
	body, err := json.Marshal(profile{1, spec.AppliesTo.Action, spec.TokenBudget, spec.ModelPreference})
	if err != nil { // strings and numbers only
		panic("inferencepolicy: profile cannot be encoded: " + err.Error())
	}
	return body
}

// Digest returns the digest that routers have to report of a policy: of its spec, or of the last spec that was valid. Empty: no spec was
// valid. A published profile is not asked, since others may have changed it.
func Digest(o *api.InferencePolicy) string {
	if len(Check(o.Spec)) > 0 {
		return o.Status.CompiledDigest
	}
	return digest.Of(digest.InferencePolicy, compile(o.Spec))
}

func gather(e *kit.Env) func(context.Context, *api.InferencePolicy, time.Time) (Facts, error) {
	return func(ctx context.Context, o *api.InferencePolicy, _ time.Time) (Facts, error) {
		f, spec := Facts{Publication: kit.Publication{Problems: Check(o.Spec), Digest: Digest(o)}}, o.Spec
		if len(f.Problems) > 0 {
			return f, nil
		}
		absent, err := e.Absent(ctx, o.Namespace, kit.Sibling{Name: o.Spec.AppliesTo.SandboxName, Object: &api.KarsSandbox{},
			Kind: "KarsSandbox"})
		if f.Absent = absent; err != nil || len(absent) > 0 {
			f.Digest = o.Status.CompiledDigest
			return f, err
		}
		f.Loads = spec.TokenBudget != nil || spec.ModelPreference != nil
		f.Profile = string(compile(spec))
		if !f.Loads {
			return f, nil
		}
		referrers, err := e.Referrers(ctx, o.Namespace, o.Name, kit.ByInference)
		if err != nil {
			return f, err
		}
		f.Enforced, err = e.Enforced(referrers, digest.InferencePolicy, f.Digest, "InferencePolicy/"+o.Name)
		return f, err
	}
}
