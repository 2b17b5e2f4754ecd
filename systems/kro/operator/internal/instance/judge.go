// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"strings"

	"github.com/kubernetes-sigs/kro/pkg/cel/library"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/systems/kro/operator/internal/declare"
	"github.com/tristate/tristate/verdict"
)

// Trouble is the reason for which a chunk of work is not done.
type Trouble struct {
	Final bool // a person must act
	Text  string
}

// Child is an object of a resource.
type Child struct {
	Name    string // Kind/name
	Missing bool   // it does not exist
	Going   bool   // it is being deleted
	Verdict verdict.Status
	Message string // of the verdict
}

// Resource are the facts about one resource of the graph.
type Resource struct {
	ID       string
	Excluded bool
	External bool     // an externalRef: it is read and never written
	Many     bool     // a collection, which may be empty
	Waiting  string   // what its expressions wait for; empty: nothing
	Broken   string   // the error of its expressions; empty: none
	Apply    *Trouble // the error of its apply; nil: none
	Children []Child
	Asked    bool   // it has readyWhen
	Unmet    string // the expression that does not hold; empty: readyWhen holds
}

// Facts are the facts of one pass about an instance.
type Facts struct {
	Deleting   bool
	Blocked    *Trouble // deletion: the error of it; nil: none
	Going      string   // deletion: its progress
	Managed    *Trouble
	Definition *Trouble // why the definition is not accepted; nil: it is
	Missing    bool     // the definition does not exist, or makes another kind
	Generation int64    // of the definition, by which the instance is reconciled
	Behind     string   // why a later generation of the definition is not accepted; empty: there is none
	Suspended  bool
	Adopted    []string // objects that the instance takes over with this pass
	Resources  []Resource
	Prune      *Trouble
	Pruning    bool
	Custom     []library.Condition
	Silent     []string // declared custom conditions that could not be evaluated yet
	Failed     string   // expressions of custom conditions that failed
}

// Judge turns facts into conditions.
func Judge(p *conditions.Pass, f Facts) {
	if f.Deleting {
		deleting(p, f)
		return
	}
	if f.Definition != nil {
		reason := "WaitingForData"
		switch {
		case f.Missing:
			reason = "DefinitionMissing"
		case f.Definition.Final:
			reason = "DefinitionInvalid"
		}
		p.Report(declare.GraphResolved, status(f.Definition), reason, f.Definition.Text)
		return
	}
	if f.Managed != nil {
		p.Report(declare.InstanceManaged, status(f.Managed), word(f.Managed, "ManagementFailed", "Retrying"), f.Managed.Text)
		p.Report(declare.InstanceSynced, conditions.Unknown, "Syncing", "nothing is applied before the instance carries its finalizer and "+
			"inventory")
	} else {
		p.Report(declare.InstanceManaged, conditions.True, "Managed", "the finalizer, the labels and the inventory are set")
	}
	unresolved, unsynced := false, false
	for _, r := range f.Resources {
		switch {
		case r.Broken != "":
			p.Report(declare.GraphResolved, conditions.False, "ResolutionFailed", r.ID+": "+r.Broken)
		case r.Waiting != "":
			p.Report(declare.GraphResolved, conditions.Unknown, "WaitingForData", r.ID+": "+r.Waiting)
		}
		if r.Apply != nil {
			p.Report(declare.InstanceSynced, status(r.Apply), word(r.Apply, "SyncFailed", "Retrying"), r.ID+": "+r.Apply.Text)
			unsynced = true
		}
		unresolved = unresolved || r.Broken != "" || r.Waiting != ""
		s, reason, message := ready(r)
		p.Report(declare.ResourceType(r.ID), s, reason, message)
	}
	if f.Failed != "" {
		p.Report(declare.GraphResolved, conditions.False, "ResolutionFailed", "conditions: "+f.Failed)
		unresolved = true
	}
	resolved := fmt.Sprintf("every expression has a value, by generation %d of the definition", f.Generation)
	switch {
	case unresolved:
	case f.Behind != "":
		p.Report(declare.GraphResolved, conditions.True, "LastAccepted", resolved+"; "+f.Behind)
	default:
		p.Report(declare.GraphResolved, conditions.True, "Resolved", resolved)
	}
	switch {
	case f.Suspended:
		p.Report(declare.InstanceSynced, conditions.Unknown, "Suspended", "the annotation kro.run/reconcile suspends the instance")
	case f.Managed != nil || unsynced:
	case f.Prune != nil:
		p.Report(declare.InstanceSynced, status(f.Prune), word(f.Prune, "SyncFailed", "Retrying"), f.Prune.Text)
	case unresolved:
		p.Report(declare.InstanceSynced, conditions.Unknown, "Syncing", "resources are left to be applied")
	case f.Pruning:
		p.Report(declare.InstanceSynced, conditions.Unknown, "Syncing", "objects that are no longer part of the graph are being removed")
	default:
		p.Report(declare.InstanceSynced, conditions.True, "Synced", fmt.Sprintf("%d resources are as the graph renders them", len(f.Resources)))
	}
	if len(f.Resources) == 0 {
		p.Report(declare.ResourcesReady, conditions.True, "AllResourcesReady", "the graph has no resources")
	}
	custom(p, f)
}

// custom reports the conditions that expressions of the definition make.
func custom(p *conditions.Pass, f Facts) {
	for _, c := range f.Custom {
		reason := c.Reason
		if !wire.ValidReason(reason) {
			reason = "Reported"
		}
		p.Report(declare.Renamed(c.ConditionType), conditions.Status(c.Status), reason, c.Message)
	}
	for _, name := range f.Silent {
		p.Report(name, conditions.Unknown, "WaitingForData", "its expression waits for a field of a resource")
	}
}

// deleting reports the progress of a deletion.
func deleting(p *conditions.Pass, f Facts) {
	p.Report(declare.InstanceManaged, conditions.Unknown, "UnderDeletion", "the instance is being deleted")
	p.Report(declare.GraphResolved, conditions.Unknown, "UnderDeletion", "the instance is being deleted")
	if f.Blocked != nil {
		p.Report(declare.InstanceSynced, status(f.Blocked), word(f.Blocked, "DeletionBlocked", "UnderDeletion"), f.Blocked.Text)
		return
	}
	p.Report(declare.InstanceSynced, conditions.Unknown, "UnderDeletion", f.Going)
}

// status returns False where a person must act, otherwise Unknown.
func status(t *Trouble) conditions.Status {
	if t.Final {
		return conditions.False
	}
	return conditions.Unknown
}

// word chooses the reason of a trouble.
func word(t *Trouble, final, passing string) string {
	if t.Final {
		return final
	}
	return passing
}

// ready returns status, reason and message of the condition of a resource.
func ready(r Resource) (conditions.Status, string, string) {
	worst, well := r.worst()
	own := describe(worst)
	switch {
	case r.Excluded:
		return conditions.True, declare.Excluded, "includeWhen leaves it out"
	case r.Broken != "":
		return conditions.False, declare.ResolutionFailed, r.Broken
	case r.Apply != nil && r.Apply.Final:
		return conditions.False, declare.Refused, r.Apply.Text
	case r.Apply != nil:
		return conditions.Unknown, declare.Retrying, r.Apply.Text
	case r.Waiting != "":
		return conditions.Unknown, declare.WaitingForData, r.Waiting
	case worst == nil && !r.Many:
		return conditions.Unknown, declare.NotFound, "its object does not exist yet"
	case worst != nil && worst.Missing:
		return conditions.Unknown, declare.NotFound, worst.Name + " does not exist yet"
	case worst != nil && worst.Going:
		return conditions.Unknown, declare.Deleting, worst.Name + " is being deleted"
	case r.Asked && r.Unmet == "" && (worst == nil || worst.Verdict == verdict.Current):
		return conditions.True, declare.ResourceReady, "readyWhen holds"
	case r.Asked && r.Unmet == "":
		return conditions.True, declare.ReadyByDecision, "readyWhen holds, although " + own
	case worst != nil && worst.Verdict.Broken():
		text := own
		if r.Asked {
			text += "; readyWhen does not hold: " + r.Unmet
		}
		return conditions.False, declare.Failed, text
	case r.Asked && (worst == nil || worst.Verdict == verdict.Current):
		text := "readyWhen does not hold: " + r.Unmet
		if worst != nil {
			text += ", although " + own
		}
		return conditions.Unknown, declare.NotReady, text
	case r.Asked:
		return conditions.Unknown, declare.NotReady, "readyWhen does not hold: " + r.Unmet + "; " + own
	case worst != nil && worst.Verdict == verdict.Suspended:
		return conditions.Unknown, declare.Suspended, own
	case worst != nil && worst.Verdict != verdict.Current:
		text := own
		if len(r.Children) > 1 {
			text = fmt.Sprintf("%d of %d are ready; %s", well, len(r.Children), own)
		}
		return conditions.Unknown, declare.Progressing, text
	}
	switch len(r.Children) {
	case 0:
		return conditions.True, declare.ResourceReady, "there is no object in it"
	case 1:
		return conditions.True, declare.ResourceReady, own
	}
	return conditions.True, declare.ResourceReady, fmt.Sprintf("%d of %d are ready", well, len(r.Children))
}

// worst returns the object that explains the state of a resource, and the number of its objects that are ready.
func (r Resource) worst() (*Child, int) {
	var out *Child
	well := 0
	for i := range r.Children {
		c := &r.Children[i]
		if !c.Missing && !c.Going && c.Verdict == verdict.Current {
			well++
		}
		if out == nil || rank(c) > rank(out) || rank(c) == rank(out) && c.Name < out.Name {
			out = c
		}
	}
	return out, well
}

// rank orders objects: the highest one explains the state of its resource. Nothing explains more than an object that does not exist, or
// that is being deleted.
func rank(c *Child) int {
	switch most := len(verdict.Statuses); {
	case c.Missing:
		return most + 1
	case c.Going:
		return most
	}
	return c.Verdict.Rank()
}

// describe returns an object with its verdict as a clause.
func describe(c *Child) string {
	if c == nil {
		return ""
	}
	text := fmt.Sprintf("%s is %s", c.Name, c.Verdict)
	if m := strings.TrimSuffix(strings.TrimSpace(c.Message), "."); m != "" {
		text += " (" + m + ")"
	}
	return text
}
