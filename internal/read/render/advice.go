// SPDX-License-Identifier: Apache-2.0

package render

import (
	"slices"
	"strings"
	"sync"

	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/read/relation"
	"github.com/tristate/tristate/verdict"
	"sigs.k8s.io/yaml"
)

// remedy is what can be done about objects of a kind (empty: of any) with one of some reasons.
type remedy struct {
	Kind    string
	Reasons []string
	Remedy  string
}

// remedies are those of catalogs/known/remedies.yaml, which has the rules.
var remedies = sync.OnceValue(func() (out []remedy) {
	if err := yaml.UnmarshalStrict(catalogs.Remedies, &out); err != nil {
		panic(err) // it is part of the program
	}
	return out
})

// Advice returns a remedy for an unhealthy object: that of its catalog, or the usual one; empty if there is none.
func Advice(n *relation.Node) string {
	if n.Judgement.Remedy != "" {
		return n.Judgement.Remedy
	}
	if held := finalizers(n); len(held) > 0 && n.Judgement.Verdict == verdict.Terminating && n.Kind != "Namespace" {
		if len(held) == 1 {
			return "check that the controller behind finalizer " + held[0] + " is running; it removes the finalizer when its clean-up is done"
		}
		return "check that the controllers behind finalizers " + listed(held) + " are running; they remove them when their clean-up is done"
	}
	namespace := "-n " + n.Namespace
	if n.Namespace == "" {
		namespace = ""
	}
	for _, r := range remedies() {
		if (r.Kind == "" || r.Kind == n.Kind) && slices.Contains(r.Reasons, n.Judgement.Reason) {
			text := strings.ReplaceAll(r.Remedy, "-n NAMESPACE", namespace)
			return strings.ReplaceAll(strings.ReplaceAll(text, "NAME", n.Name), "  ", " ")
		}
	}
	return ""
}

// finalizers returns the finalizers that hold an object, each with the manager that set it, if the managed fields name one. Those of the
// garbage collector are left out.
func finalizers(n *relation.Node) []string {
	if n.Object == nil {
		return nil
	}
	metadata, _ := n.Object.Content["metadata"].(map[string]any)
	list, _ := metadata["finalizers"].([]any)
	var out []string
	for _, item := range list {
		if s, _ := item.(string); s != "" && s != "foregroundDeletion" && s != "orphan" {
			if manager := managerOf(metadata, s); manager != "" {
				s += " (set by " + manager + ")"
			}
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

// managerOf returns the field manager that owns a finalizer; empty if the managed fields name none, or kubectl.
func managerOf(metadata map[string]any, finalizer string) string {
	entries, _ := metadata["managedFields"].([]any)
	for _, item := range entries {
		entry, _ := item.(map[string]any)
		fields, _ := entry["fieldsV1"].(map[string]any)
		fields, _ = fields["f:metadata"].(map[string]any)
		fields, _ = fields["f:finalizers"].(map[string]any)
		if _, owns := fields[`v:"`+finalizer+`"`]; owns {
			manager, _ := entry["manager"].(string)
			if !strings.HasPrefix(manager, "kubectl") {
				return manager
			}
		}
	}
	return ""
}
