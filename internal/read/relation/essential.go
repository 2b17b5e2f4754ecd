// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	statefulSetKind = schema.GroupKind{Group: "apps", Kind: "StatefulSet"}
	daemonSetKind   = schema.GroupKind{Group: "apps", Kind: "DaemonSet"}
	nodeKind        = schema.GroupKind{Kind: "Node"}
	budgetKind      = schema.GroupKind{Group: "policy", Kind: "PodDisruptionBudget"}
)

var (
	// waitingReason and waitingMessage find objects that wait for others.
	waitingReason  = regexp.MustCompile(`^(Waiting|WaitFor|Dependenc(y|ies)|ScalingUp$)`)
	waitingMessage = regexp.MustCompile(
		`(?i)\bwait(s|ing)? (for|on|until)\b|cannot resolve references|not yet (ready|available|initialized|provisioned|created)\b|` +
			`dependenc(y|ies)\b.*\bnot ready|\bis not ready yet\b|\breferenced \w+.*\bnot (be )?ready\b`)
)

// waits reports whether all that is wrong with an object is that no pod serves it, or that it waits for another one. A pod that waits has
// a reason of its own.
func waits(n *Node) bool {
	j := n.Judgement
	switch {
	case j.Reason == NoEndpoints || j.Reason == noBackend:
		return true
	case n.Missing() || j.Own || n.GroupKind == podKind || j.Verdict == verdict.Terminating:
		return false
	}
	return waitingReason.MatchString(j.Reason) || waitingMessage.MatchString(j.Message)
}

// observers are kinds that look at others, and whose conditions repeat what is wrong with these.
var observers = map[schema.GroupKind]bool{
	{Group: "cluster.x-k8s.io", Kind: "MachineHealthCheck"}:      true,
	{Group: "monitoring.coreos.com", Kind: "PodMonitor"}:         true,
	{Group: "monitoring.coreos.com", Kind: "ServiceMonitor"}:     true,
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}:      true,
	{Group: "autoscaling.k8s.io", Kind: "VerticalPodAutoscaler"}: true,
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}:          true,
	{Group: "wgpolicyk8s.io", Kind: "PolicyReport"}:              true,
	{Group: "discovery.k8s.io", Kind: "EndpointSlice"}:           true,
	budgetKind: true,
}

func observes(n *Node) bool { return observers[n.GroupKind] && !n.Missing() && !n.Judgement.Derived() }

// essential drops the causes that only wait, look at others or repeat others, as long as others are left that are as bad.
func essential(list []found) []found {
	for _, drop := range []func(found) bool{
		func(c found) bool { return waits(c.node()) },
		func(c found) bool { return observes(c.node()) },
	} {
		worst := -1
		for _, c := range list {
			if !drop(c) {
				worst = max(worst, c.weight)
			}
		}
		list = slices.DeleteFunc(slices.Clone(list), func(c found) bool { return drop(c) && (worst >= broken || worst >= c.weight) })
	}
	return slices.DeleteFunc(slices.Clone(list), func(c found) bool {
		return slices.ContainsFunc(list, func(d found) bool { return d.node().ID != c.node().ID && repeats(c, d) && !repeats(d, c) })
	})
}

// leastRepeated is the length of a message from which on two objects do not have the same by chance.
const leastRepeated = 20

// repeats reports whether a cause only repeats another one: its message is that of a deeper object of another kind, or names an object on
// the way to the other cause by kind and name.
func repeats(c, d found) bool {
	n, other := c.node(), d.node()
	message := n.Judgement.Message
	if n.Missing() || n.Judgement.Own || n.GroupKind == podKind {
		return false
	}
	if n.GroupKind != other.GroupKind && len(c.chain) < len(d.chain) && len(message) >= leastRepeated &&
		strings.Contains(other.Judgement.Message, message) {
		return true
	}
	return slices.ContainsFunc(d.chain[1:], func(at *Node) bool { return at.ID != n.ID && names(message, at.ID) })
}

// names reports whether a message names an object: its kind, and its name or NAMESPACE/NAME after a space, a slash or quotes.
func names(message string, n ID) bool {
	if len(n.Name) == 0 || !strings.Contains(message, n.Name) {
		return false
	}
	for _, form := range []string{" ", "/", " \"", " '", " `", " " + n.Namespace + "/", " \"" + n.Namespace + "/"} {
		_, rest, found := strings.Cut(strings.ToLower(message), strings.ToLower(n.Kind+form+n.Name))
		if found && (rest == "" || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-", rune(rest[0]))) {
			return true
		}
	}
	return false
}

// withoutObservers drops budgets and autoscalers from the causes of several hierarchies, if another cause explains a workload whose pods
// they look at.
func (v *View) withoutObservers(list []Ranked) []Ranked {
	var templates []struct {
		set       labels.Set
		namespace string
	}
	for _, r := range list {
		for _, id := range append(slices.Clone(r.Explains), r.Node.ID) {
			if o := v.Graph.Get(id); o != nil {
				if set, ok := templateLabels(o); ok {
					templates = append(templates, struct {
						set       labels.Set
						namespace string
					}{set, o.Namespace})
				}
			}
		}
	}
	return slices.DeleteFunc(list, func(r Ranked) bool {
		if r.Node.GroupKind != budgetKind || r.Node.Object == nil {
			return false
		}
		s := selector(sub(r.Node.Object.Content, "spec")["selector"])
		for _, t := range templates {
			if s != nil && t.namespace == r.Node.Namespace && s.Matches(t.set) {
				return true
			}
		}
		return false
	})
}
