// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"fmt"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/tristate/tristate/operator/child"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Trouble is a problem with a reason of the catalog.
type Trouble struct {
	Reason, Text string
}

// Facts are the facts of one pass about a definition.
type Facts struct {
	Kind      string                         // that the definition makes
	Graph     *Trouble                       // problem of the graph; nil: it is accepted
	Order     []string                       // of the resources of an accepted graph
	Resources []v1alpha1.ResourceInformation // of an accepted graph, which depend on others
	Revision  int64                          // of the GraphRevision of the generation; 0 without one
	Write     *Trouble                       // problem of the CustomResourceDefinition; nil: it is up to date
	Watch     error                          // error of the watch of the instances
	CRD       *apiext.CustomResourceDefinition

	GraphOnly bool    // ResourceGraphReady is about the graph and not about the resources of instances
	Instances Tally   // of the kind
	Before    Trouble // ResourceGraphReady as it is stored of this generation: AllReady, ResourcesFailed, or nothing

	rgd      *v1alpha1.ResourceGraphDefinition // for the packages of kro
	gvr      schema.GroupVersionResource       // of the instances
	compiled *compiled
	want     *apiext.CustomResourceDefinition // to be applied; nil: the stored one stays
	unkept   []Trouble                        // the GraphRevision or the catalog that is not written yet, with the reason of an event
}

// Judge turns facts into conditions. Every message names the kind.
func Judge(p *Pass, f Facts) {
	switch g := f.Graph; {
	case g == nil && f.GraphOnly:
		p.ResourceGraphReady.AllReady("The graph of %s is up to date, with %s.", f.Kind, count(len(f.Order), "resource"))
	case g == nil:
		resources(p, f)
	case g.Reason == ReasonGraphInvalid:
		p.ResourceGraphReady.GraphInvalid("%s: %s", f.Kind, g.Text)
	case g.Reason == ReasonKindMissing:
		p.ResourceGraphReady.KindMissing("%s: %s", f.Kind, g.Text)
	case g.Reason == ReasonWaitingForKind:
		p.ResourceGraphReady.WaitingForKind("%s: %s", f.Kind, g.Text)
	default:
		p.ResourceGraphReady.Retrying("%s: %s", f.Kind, g.Text)
	}
	kind := &p.ResourceGraphKindReady
	if f.Graph != nil {
		kind.WaitingForGraph("%s follows from the graph, which is not accepted.", f.Kind)
		return
	}
	switch w := f.Write; {
	case w == nil:
	case w.Reason == ReasonKindTaken:
		kind.KindTaken("%s: %s", f.Kind, w.Text)
	case w.Reason == ReasonBreakingChange:
		kind.BreakingChange("%s: %s", f.Kind, w.Text)
	case w.Reason == ReasonSyncFailed:
		kind.SyncFailed("%s: %s", f.Kind, w.Text)
	default:
		kind.Retrying("%s: %s", f.Kind, w.Text)
	}
	if f.Write != nil {
		return
	}
	names, established := condition(f.CRD, apiext.NamesAccepted), condition(f.CRD, apiext.Established)
	switch {
	case f.CRD == nil:
		kind.Creating("The CustomResourceDefinition of %s is being created.", f.Kind)
	case f.CRD.DeletionTimestamp != nil:
		kind.Terminating("The CustomResourceDefinition of %s is being deleted; it is made again once it is gone.", f.Kind)
	case names.Status == apiext.ConditionFalse:
		kind.NotAccepted("The names of %s are not accepted: %s.", f.Kind, names.Message)
	case names.Status != apiext.ConditionTrue || established.Status != apiext.ConditionTrue:
		kind.Establishing("%s is not served yet.", f.Kind)
	case f.Watch != nil && Final(f.Watch):
		kind.NotPermitted("Instances of %s cannot be watched: %s.", f.Kind, child.Reason(f.Watch))
	case f.Watch != nil:
		kind.NotWatched("Instances of %s are not watched yet: %v.", f.Kind, f.Watch)
	default:
		kind.Accepted("%s is up to date and accepted.", f.Kind)
	}
}

// resources judges the resources of the instances.
func resources(p *Pass, f Facts) {
	all, ready := f.Instances, &p.ResourceGraphReady
	switch {
	case f.Write != nil || !f.established() || f.CRD.DeletionTimestamp != nil:
		ready.ResourcesNotReady("The resources of %s are not those of this generation until the kind is up to date and served.", f.Kind)
	case f.Watch != nil:
		ready.ResourcesNotReady("The resources of %s are not known while its instances are not watched.", f.Kind)
	case len(all.Failed) > 0:
		ready.ResourcesFailed("%d of %s of %s need intervention: %s", len(all.Failed), count(all.Total, "instance"), f.Kind, first(all.Failed))
	case len(all.Pending) > 0 && f.Before.Reason == ReasonAllReady: // after a restart the stored condition stays until everything is known
		ready.AllReady("%s", f.Before.Text)
	case len(all.Waiting) > 0 && f.Before.Reason == ReasonAllReady: // the definition has done its work; the instance is doing its own
		ready.AllReady("All resources of %s are up to date and ready, in %d of %s. On its way: %s", f.Kind, all.Ready,
			count(all.Total, "instance"), first(all.Waiting))
	case len(all.Pending) > 0 && f.Before.Reason == ReasonResourcesFailed:
		ready.ResourcesFailed("%s", f.Before.Text)
	case len(all.Waiting) > 0:
		ready.ResourcesNotReady("%d of %s of %s are ready: %s", all.Ready, count(all.Total, "instance"), f.Kind, first(all.Waiting))
	case len(all.Pending) > 0:
		ready.ResourcesNotReady("%d of %s of %s have not been reconciled yet: %s", len(all.Pending), count(all.Total, "instance"), f.Kind,
			first(all.Pending))
	default:
		ready.AllReady("All resources of %s are up to date and ready, in %s.", f.Kind, count(all.Total, "instance"))
	}
}

// established reports whether the kind is served by the API server.
func (f Facts) established() bool {
	return condition(f.CRD, apiext.Established).Status == apiext.ConditionTrue
}

func condition(crd *apiext.CustomResourceDefinition,
	name apiext.CustomResourceDefinitionConditionType) apiext.CustomResourceDefinitionCondition {
	if crd != nil {
		for _, c := range crd.Status.Conditions {
			if c.Type == name {
				return c
			}
		}
	}
	return apiext.CustomResourceDefinitionCondition{}
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
