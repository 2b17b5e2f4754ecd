// SPDX-License-Identifier: Apache-2.0

package toolpolicy

import (
	"context"
	"encoding/json"
	"time"

	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
)

// Check returns the problems of a spec.
func Check(spec api.ToolPolicySpec) (problems []string) {
	if len(spec.AppliesTo.SandboxMatchLabels) == 0 {
		problems = append(problems, "appliesTo.sandboxMatchLabels is empty")
	}
	if profile := spec.AgtProfile; profile != nil {
		if profile.Inline == "" {
			return append(problems, "agtProfile.inline is empty")
		}
		problems = append(problems, parseable(profile.Inline)...)
	}
	return problems
}

func parseable(profile string) []string {
	if _, err := digest.ParseProfile([]byte(profile)); err != nil {
		return []string{"the profile " + err.Error()}
	}
	return nil
}

// Digest returns the digest that routers have to report of a policy: the profile of its spec, or of the last spec that was valid. Empty: a
// router has nothing to load. A published profile is not asked, since others may have changed it.
func Digest(o *api.ToolPolicy) string {
	switch {
	case len(Check(o.Spec)) > 0:
		return o.Status.AgtProfileDigest
	case o.Spec.AgtProfile == nil:
		return ""
	}
	return digest.Of(digest.AgtProfile, []byte(o.Spec.AgtProfile.Inline))
}

func gather(e *kit.Env) func(context.Context, *api.ToolPolicy, time.Time) (Facts, error) {
	return func(ctx context.Context, o *api.ToolPolicy, _ time.Time) (Facts, error) {
		f := Facts{Publication: kit.Publication{Problems: Check(o.Spec), Digest: Digest(o)}}
		if len(f.Problems) > 0 {
			return f, nil
		}
		if profile := o.Spec.AgtProfile; profile != nil {
			f.Profile = profile.Inline
		}
		compiled, err := json.Marshal(o.Spec)
		if err != nil || f.Profile == "" {
			f.JSON = string(compiled)
			return f, err
		}
		f.Loads, f.JSON = true, string(compiled)
		referrers, err := e.Referrers(ctx, o.Namespace, o.Name, kit.ByToolPolicy)
		if err != nil {
			return f, err
		}
		f.Enforced, err = e.Enforced(referrers, digest.AgtProfile, f.Digest, "ToolPolicy/"+o.Name)
		return f, err
	}
}
