// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/english"
	"github.com/tristate/tristate/internal/declare/expr"
	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	statefulSetKind = schema.GroupKind{Group: "apps", Kind: "StatefulSet"}
	daemonSetKind   = schema.GroupKind{Group: "apps", Kind: "DaemonSet"}
	jobKind         = schema.GroupKind{Group: "batch", Kind: "Job"}
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
	case n.Missing() || n.GroupKind == podKind || j.Verdict == verdict.Terminating:
		return false
	}
	return waitingReason.MatchString(j.Reason) && weight(j.Verdict) <= progress ||
		!j.Own && (waitingReason.MatchString(j.Reason) || waitingMessage.MatchString(j.Message))
}

// machines is the API group of Cluster API, and the end of those of its providers.
const machines = "cluster.x-k8s.io"

// observers are kinds that look at others, and whose conditions repeat what is wrong with these.
var observers = map[schema.GroupKind]bool{
	{Group: machines, Kind: "MachineHealthCheck"}:                true,
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

// governing is the relation of a StatefulSet to its Service. Its pods run without it.
const governing = "service"

// essential drops the causes that only wait, look at others or repeat others, and the absent Service of a StatefulSet, as long as others
// are left that are as bad.
func essential(list []found) []found {
	for _, drop := range []func(found) bool{
		func(c found) bool { return waits(c.node()) },
		func(c found) bool { return observes(c.node()) },
		func(c found) bool { return c.node().Missing() && c.node().Edge == governing },
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
		return mayRepeat(c.node()) &&
			slices.ContainsFunc(list, func(d found) bool { return d.node().ID != c.node().ID && repeats(c, d) && !repeats(d, c) })
	})
}

// leastRepeated is the length of a message from which on two objects do not have the same by chance.
const leastRepeated = 20

// mayRepeat reports whether an object can be a cause that only repeats another one.
func mayRepeat(n *Node) bool {
	return !n.Missing() && n.GroupKind != podKind && (!n.Judgement.Own || unavailable.MatchString(n.Judgement.Message))
}

// repeats reports whether a cause only repeats another one: its message is that of a deeper object of another kind, or names an object on
// the way to the other cause by kind and name.
func repeats(c, d found) bool {
	n, other := c.node(), d.node()
	message := n.Judgement.Message
	if !mayRepeat(n) || n.Judgement.Own && !d.has(func(at *Node) bool { return at.ID == n.ID }) {
		return false
	}
	if !n.Judgement.Own && n.GroupKind != other.GroupKind && c.objects < d.objects && len(message) >= leastRepeated &&
		strings.Contains(other.Judgement.Message, message) {
		return true
	}
	return d.next.has(func(at *Node) bool { return at.ID != n.ID && names(message, at.ID) })
}

// names reports whether a message names an object: its kind, and its name or NAMESPACE/NAME after a space, a slash or quotes.
func names(message string, n ID) bool {
	if len(n.Name) == 0 || !strings.Contains(message, n.Name) {
		return false
	}
	words := english.Words(n.Kind) // of SubnetGroup also "subnet group" and "group"
	kinds := []string{strings.ToLower(n.Kind)}
	for i := range words {
		kinds = append(kinds, strings.Join(words[i:], " "))
	}
	message = strings.ToLower(message)
	for _, kind := range kinds {
		for _, form := range []string{" ", "/", " \"", " '", " `", " " + n.Namespace + "/", " \"" + n.Namespace + "/"} {
			_, rest, found := strings.Cut(message, kind+strings.ToLower(form+n.Name))
			if found && (rest == "" || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-", rune(rest[0]))) {
				return true
			}
		}
	}
	return false
}

// unavailable finds messages about another object that is not there or not ready.
var unavailable = regexp.MustCompile(`(?i)\bnot (yet )?(ready|found|available)\b|does not exist`)

// asks reports whether an object is held until a person decides: who has to act is the answer to why it does not go on.
func asks(n *Node) bool {
	j := n.Judgement
	return j.Verdict == verdict.Suspended && decision.MatchString(j.Reason+" "+j.Message+" "+j.Remedy)
}

var decision = regexp.MustCompile(`(?i)approv|(wait|pending).*\buser|needs ?review`)

// inactive reports whether an object waits because another one is held on purpose.
func inactive(j Judgement) bool { return heldByOther.MatchString(j.Reason + " " + j.Message) }

var heldByOther = regexp.MustCompile(`(?i)^dependenc|inactive|not active|suspended|\bstopped\b|paused|on hold`)

// withoutObservers drops budgets, autoscalers and health checks from the causes of several hierarchies, if another cause explains a
// workload whose pods they look at, or is a machine or what machines need.
func (v *View) withoutObservers(list []Ranked) []Ranked {
	var templates []struct {
		set       labels.Set
		namespace string
		cause     int
	}
	for i, r := range list {
		for _, id := range append(slices.Clone(r.Explains), r.Node.ID) {
			if o := v.Graph.Get(id); o != nil {
				if set, ok := templateLabels(o); ok {
					templates = append(templates, struct {
						set       labels.Set
						namespace string
						cause     int
					}{set, o.Namespace, i})
				}
			}
		}
	}
	looksAt := func(r, other Ranked) bool {
		target := nested.Text(r.Node.Object.Content, "spec", "scaleTargetRef", "name")
		return !observers[other.Node.GroupKind] && slices.ContainsFunc(append(slices.Clone(other.Explains), other.Node.ID), func(id ID) bool {
			return id.Namespace == r.Node.Namespace && (target != "" && id.Name == target ||
				r.Node.Group == machines && strings.HasSuffix(id.Group, machines))
		})
	}
	at := map[int][]ID{} // what the cause at a place explains, too
	kept := list[:0:0]
	for _, r := range list {
		drop := -1
		switch {
		case r.Node.Object == nil || r.Node.Judgement.Derived() || !observers[r.Node.GroupKind]:
		case r.Node.GroupKind != budgetKind:
			drop = slices.IndexFunc(list, func(other Ranked) bool { return looksAt(r, other) })
		default:
			s := expr.Selector(nested.At(r.Node.Object.Content, "spec", "selector"))
			for _, t := range templates {
				if s != nil && t.namespace == r.Node.Namespace && s.Matches(t.set) {
					drop = t.cause
					break
				}
			}
		}
		if drop < 0 {
			kept = append(kept, r)
			continue
		}
		for _, n := range r.Nodes {
			at[drop] = append(at[drop], n.ID)
		}
	}
	for i, r := range kept {
		place := slices.IndexFunc(list, func(other Ranked) bool { return other.Node == r.Node })
		if more := at[place]; len(more) > 0 {
			all := slices.Concat(r.Explains, more)
			slices.SortFunc(all, Compare)
			kept[i].Explains = slices.Compact(all)
		}
	}
	return kept
}
