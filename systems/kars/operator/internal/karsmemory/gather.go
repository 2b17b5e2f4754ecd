// SPDX-License-Identifier: Apache-2.0

package karsmemory

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	"github.com/tristate/tristate/systems/kars/operator/internal/echo"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	"k8s.io/apimachinery/pkg/util/validation"
)

var scopeForm = regexp.MustCompile(`^[A-Za-z0-9_\-.%+@/]{1,256}$`)

// Check returns the problems of a spec.
func Check(spec api.KarsMemorySpec) (problems []string) {
	if spec.StoreName == "" && spec.Scope == "" {
		return nil // reserved: nothing for a router to load
	}
	if len(validation.IsDNS1123Label(spec.StoreName)) > 0 {
		problems = append(problems, "storeName is not a DNS label")
	}
	if spec.Scope != "" && !scopeForm.MatchString(spec.Scope) {
		problems = append(problems, "scope has a character other than letters, digits and _-.%+@/")
	}
	if spec.RetentionDays < 0 {
		problems = append(problems, "retentionDays is negative")
	}
	return problems
}

// binding is the artifact that a router loads.
type binding struct {
	SchemaVersion int    `json:"schemaVersion"`
	StoreName     string `json:"storeName"`
	Scope         string `json:"scope,omitempty"`
	RetentionDays int32  `json:"retentionDays,omitempty"`
	DeleteWith    bool   `json:"deleteOnSandboxDelete"`
}

// compile returns the artifact of a spec.
func compile(spec api.KarsMemorySpec) []byte {
	body, err := json.Marshal(binding{1, spec.StoreName, spec.Scope, spec.RetentionDays, spec.DeleteOnSandboxDelete == nil ||
		*spec.DeleteOnSandboxDelete})
	if err != nil { // strings and numbers only
		panic("karsmemory: binding cannot be encoded: " + err.Error())
	}
	return body
}

// Digest returns the digest that routers have to report of a memory: the binding of its spec, or of the last spec that was valid. Empty: a
// router has nothing to load. A published binding is not asked, since others may have changed it.
func Digest(o *api.KarsMemory) string {
	switch {
	case len(Check(o.Spec)) > 0:
		return o.Status.CompiledDigest
	case o.Spec.StoreName == "":
		return ""
	}
	return digest.Of(digest.Memory, compile(o.Spec))
}

func gather(e *kit.Env) func(context.Context, *api.KarsMemory, time.Time) (Facts, error) {
	return func(ctx context.Context, o *api.KarsMemory, _ time.Time) (Facts, error) {
		f, spec := Facts{Publication: kit.Publication{Problems: Check(o.Spec), Digest: Digest(o)}}, o.Spec
		absent, err := e.Absent(ctx, o.Namespace, kit.Sibling{Name: refName(o.Spec.SandboxRef), Object: &api.KarsSandbox{}, Kind: "KarsSandbox"})
		if f.Absent = absent; err != nil || len(absent) > 0 {
			f.Digest = o.Status.CompiledDigest
			return f, err
		}
		if len(f.Problems) > 0 || spec.StoreName == "" {
			return f, nil
		}
		f.Loads, f.Binding = true, string(compile(spec))
		referrers, err := e.Referrers(ctx, o.Namespace, o.Name, kit.ByMemory)
		if err != nil {
			return f, err
		}
		for _, sandbox := range referrers {
			report, _ := e.Store.Get(sandbox)
			f.observe(sandbox.Name, report)
		}
		f.Enforced, err = e.Enforced(referrers, digest.Memory, f.Digest, "KarsMemory/"+o.Name)
		for _, sandbox := range referrers {
			e.Poller.Await(sandbox, "store of KarsMemory/"+o.Name, !f.StoreSeen || f.Refused != "" || f.NoStore != "")
		}
		return f, err
	}
}

func refName(ref *api.NameRef) string {
	if ref == nil {
		return ""
	}
	return ref.Name
}

// observe adds the report of a router about its store.
func (f *Facts) observe(sandbox string, report echo.Report) {
	entry, ok := report.Entry(digest.Memory)
	if !ok {
		return
	}
	if entry.StoreSeenAt != nil && *entry.StoreSeenAt != "" {
		f.StoreSeen = true
	}
	if entry.LastError == nil {
		return
	}
	if why, refused := strings.CutPrefix(*entry.LastError, echo.PrefixAuth); refused && f.Refused == "" {
		f.Refused = fmt.Sprintf("sandbox %s: %s", sandbox, strings.TrimSpace(why))
	}
	if why, missing := strings.CutPrefix(*entry.LastError, echo.PrefixMissing); missing && f.NoStore == "" {
		f.NoStore = fmt.Sprintf("sandbox %s: %s", sandbox, strings.TrimSpace(why))
	}
}
