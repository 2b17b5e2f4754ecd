// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// withRemedies are the documents of Kubernetes that have remedies.
var withRemedies = sync.OnceValue(func() []catalog.Unread { return catalog.DocumentsWith("\n  remedies:", catalogs.Kubernetes) })

// remedy returns that of the catalogs of Kubernetes: its kinds are judged without these.
func remedy(gk schema.GroupKind, reason string) string {
	for _, d := range withRemedies() {
		if d.Group == gk.Group && slices.Contains(d.Source().Spec.For.All(), gk) {
			return d.Source().Spec.Remedies[reason]
		}
	}
	return ""
}

// held is the remedy for an object that finalizers hold, usual are those for objects of any kind, by reason.
const held = "check that the controller behind each finalizer is running; it removes the finalizer when its clean-up is done"

var usual = map[string]string{"FinalizersLeft": held, "Deleting": held, "NotFound": "create it, or correct the reference"}

// Advice returns a remedy for an unhealthy object: that of its catalog, or the usual one; empty if there is none.
func Advice(n *relation.Node) string {
	if n.Judgement.Remedy != "" {
		return n.Judgement.Remedy
	}
	if list := finalizers(n); len(list) > 0 && n.Judgement.Verdict == verdict.Terminating && n.Kind != "Namespace" {
		if len(list) == 1 {
			return "check that the controller behind finalizer " + list[0] + " is running; it removes the finalizer when its clean-up is done"
		}
		return "check that the controllers behind finalizers " + listed(list) + " are running; they remove them when their clean-up is done"
	}
	namespace := strings.TrimPrefix("-n "+n.Namespace+" ", "-n  ") // none where it has none
	text := cmp.Or(remedy(n.GroupKind, n.Judgement.Reason), usual[n.Judgement.Reason])
	return strings.NewReplacer("-n NAMESPACE ", namespace, "NAME", n.Name).Replace(text)
}

// finalizers returns the finalizers that hold an object, each with the manager that set it, if the managed fields name one. Those of the
// garbage collector are left out.
func finalizers(n *relation.Node) []string {
	if n.Object == nil {
		return nil
	}
	var out []string
	for _, item := range nested.List(n.Object.Content, "metadata", "finalizers") {
		if s, _ := item.(string); s != "" && s != "foregroundDeletion" && s != "orphan" {
			if manager := managerOf(n.Object.Content, s); manager != "" {
				s += " (set by " + manager + ")"
			}
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

// managerOf returns the field manager that owns a finalizer; empty if the managed fields name none, or kubectl.
func managerOf(content map[string]any, finalizer string) string {
	for _, entry := range nested.Maps(content, "metadata", "managedFields") {
		if _, owns := nested.Map(entry, "fieldsV1", "f:metadata", "f:finalizers")[`v:"`+finalizer+`"`]; owns {
			manager := nested.Text(entry, "manager")
			if !strings.HasPrefix(manager, "kubectl") {
				return manager
			}
		}
	}
	return ""
}
