// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"regexp"
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
	namespace := strings.TrimPrefix("-n "+n.Namespace+" ", "-n  ") // none where it has none
	fill := strings.NewReplacer("-n NAMESPACE ", namespace, "NAME", n.Name)
	if n.Judgement.Remedy != "" {
		return fill.Replace(n.Judgement.Remedy)
	}
	if text := ofContainer(n); text != "" {
		return text
	}
	if list := finalizers(n); len(list) > 0 && n.Judgement.Verdict == verdict.Terminating && n.Kind != "Namespace" {
		if len(list) == 1 {
			return "check that the controller behind finalizer " + list[0] + " is running; it removes the finalizer when its clean-up is done"
		}
		return "check that the controllers behind finalizers " + listed(list) + " are running; they remove them when their clean-up is done"
	}
	return fill.Replace(cmp.Or(remedy(n.GroupKind, n.Judgement.Reason), usual[n.Judgement.Reason]))
}

// pulls are the remedies for an image that cannot be pulled, by what the registry or the network answered.
var pulls = []struct {
	answer *regexp.Regexp
	text   string
}{
	{regexp.MustCompile(`(?i)toomanyrequests|rate limit|\b429\b`), "wait until the registry answers again, or give the pods a pull secret of an account with a higher limit"},
	{regexp.MustCompile(`(?i)unauthorized|authentication required|\b40[13]\b|forbidden|authorization failed`),
		"give the pod a pull secret that may read the image, or correct its name"},
	{regexp.MustCompile(`(?i)no such host|i/o timeout|connection refused|deadline exceeded|tls: |x509|no route to host|\b50[0-9]\b`),
		"see that the node reaches the registry: its name, its certificate and the network"},
	{regexp.MustCompile(`(?i)not found|manifest unknown|does not exist|invalid reference|no match for platform`),
		"correct the name, the tag or the platform of the image in the template of the workload"},
}

// ofContainer returns the remedy for the container that explains a pod, from what its status has: one that was killed for its memory needs
// memory, and only one that has ended before has a former log.
func ofContainer(n *relation.Node) string {
	if n.Object == nil || n.Kind != "Pod" || n.Group != "" || n.Judgement.Derived() {
		return ""
	}
	if reason := n.Judgement.Reason; strings.Contains(reason, "Pull") || reason == "RegistryUnavailable" {
		for _, p := range pulls {
			if p.answer.MatchString(n.Judgement.Message) {
				return p.text
			}
		}
		return ""
	}
	if !slices.Contains([]string{"CrashLoopBackOff", "Error", "OOMKilled", "ContainerCannotRun", "StartError"}, n.Judgement.Reason) {
		return ""
	}
	for _, field := range []string{"initContainerStatuses", "containerStatuses"} {
		for _, s := range nested.Maps(n.Object.Content, "status", field) {
			name := nested.Text(s, "name")
			if !strings.Contains(n.Judgement.Message, "container "+name+" ") && !strings.Contains(n.Judgement.Message, "container "+name+":") {
				continue
			}
			now, last := nested.Map(s, "state", "terminated"), nested.Map(s, "lastState", "terminated")
			ended := last
			if now != nil {
				ended = now
			}
			switch {
			case ended["reason"] == "OOMKilled":
				return "raise the memory limit of container " + name + " in the template of the workload, or let it use less"
			case ended["reason"] == "StartError" || ended["reason"] == "ContainerCannotRun":
				return "correct the command of container " + name + ", or its image, in the template of the workload"
			}
			text := "read the log of the container: kubectl logs"
			if n.Namespace != "" {
				text += " -n " + n.Namespace
			}
			text += " " + n.Name + " -c " + name
			if now == nil && last != nil {
				text += " --previous"
			}
			return text
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
