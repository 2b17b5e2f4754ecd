// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	revisions "github.com/kubernetes-sigs/kro/api/internal.kro.run/v1alpha1"
	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/graph/hash"
	"github.com/kubernetes-sigs/kro/pkg/metadata"
	"github.com/kubernetes-sigs/kro/pkg/metrics"
	"github.com/tristate/tristate/systems/kro/operator/internal/declare"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// accepted is the last accepted generation of a definition.
type accepted struct {
	*compiled
	kept     bool  // a GraphRevision has it
	revision int64 // of the GraphRevision
}

// keep records the accepted generation of a definition as a GraphRevision of kro, unless the newest one has the same spec, and deletes
// the oldest ones. It returns the number of the revision. Without the CustomResourceDefinition of GraphRevisions the generation is known to
// this process alone, and there is no number.
func (r *Reconciler) keep(ctx context.Context, rgd *v1alpha1.ResourceGraphDefinition, c *compiled) (revised int64, err error) {
	sum, err := hash.Spec(rgd.Spec)
	if err != nil {
		return 0, err
	}
	if known, _ := r.accepted.Load(rgd.Name); known != nil {
		if a := known.(*accepted); a.compiled == c && a.kept {
			return a.revision, nil
		}
	}
	now := &accepted{compiled: c}
	r.accepted.Store(rgd.Name, now)
	list, err := r.revisions(ctx, rgd.Name)
	if absent(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if newest := last(list); newest == nil || !owned(newest, rgd.UID) || !same(newest, sum) {
		fresh := revision(rgd, sum, newest)
		if err := r.Client.Create(ctx, fresh, client.FieldOwner(Manager)); err != nil {
			return revised, fmt.Errorf("GraphRevision %s: %w", fresh.Name, err)
		}
		reason := "spec_changed"
		if newest == nil {
			reason = "no_revision"
		}
		metrics.RGDGraphRevisionIssueTotal.WithLabelValues(reason).Inc()
		list = append(list, *fresh)
	}
	revised = last(list).Spec.Revision
	r.accepted.Store(rgd.Name, &accepted{compiled: c, kept: true, revision: revised})
	for r.Revisions > 0 && len(list) > r.Revisions {
		if err := client.IgnoreNotFound(r.Client.Delete(ctx, &list[0])); err != nil {
			metrics.RGDGraphRevisionGCErrorsTotal.WithLabelValues().Inc()
			return revised, fmt.Errorf("GraphRevision %s: %w", list[0].Name, err)
		}
		metrics.RGDGraphRevisionGCDeletedTotal.WithLabelValues().Inc()
		list = list[1:]
	}
	return revised, nil
}

// former returns the last accepted generation of a definition whose present one is not accepted, with the same kind; nil if none is
// known. After a restart it is that of the newest GraphRevision; older ones are history, and nothing goes back to them.
func (r *Reconciler) former(ctx context.Context, rgd *v1alpha1.ResourceGraphDefinition) (*compiled, error) {
	if known, _ := r.accepted.Load(rgd.Name); known != nil && known.(*accepted).uid == rgd.UID {
		return sameKind(known.(*accepted).compiled, rgd), nil
	}
	list, err := r.revisions(ctx, rgd.Name)
	if absent(err) || apierrors.IsForbidden(err) {
		return nil, nil
	}
	newest := last(list)
	if err != nil || newest == nil || !owned(newest, rgd.UID) {
		return nil, err
	}
	snapshot := rgd.DeepCopy()
	snapshot.Spec, snapshot.Generation = newest.Spec.Snapshot.Spec, newest.Spec.Snapshot.Generation
	c := &compiled{uid: rgd.UID, generation: snapshot.Generation}
	if c.graph, err = r.Builder.NewResourceGraphDefinition(snapshot, r.Limits); err == nil {
		limit(c.graph)
		c.declared, err = declare.Of(snapshot, c.graph.TopologicalOrder)
	}
	switch {
	case err != nil && transient(err):
		return nil, err
	case err != nil: // as when a kind of it has gone meanwhile
		return nil, nil
	}
	r.accepted.Store(rgd.Name, &accepted{compiled: c, kept: true, revision: newest.Spec.Revision})
	return sameKind(c, rgd), nil
}

// sameKind returns a generation if it makes the kind that the present one asks for, and nil otherwise.
func sameKind(c *compiled, rgd *v1alpha1.ResourceGraphDefinition) *compiled {
	s := rgd.Spec.Schema
	if c.graph.Instance.Meta.GVR != metadata.GetResourceGraphDefinitionInstanceGVR(s.Group, s.APIVersion, s.Kind) {
		return nil
	}
	return c
}

// revisions returns the GraphRevisions of a definition, the oldest first.
func (r *Reconciler) revisions(ctx context.Context, name string) ([]revisions.GraphRevision, error) {
	var list revisions.GraphRevisionList
	if err := r.Live.List(ctx, &list, client.MatchingFields{"spec.snapshot.name": name}); err != nil {
		return nil, fmt.Errorf("list the GraphRevisions: %w", err)
	}
	slices.SortFunc(list.Items, func(a, b revisions.GraphRevision) int { return cmp.Compare(a.Spec.Revision, b.Spec.Revision) })
	return list.Items, nil
}

// absent reports whether the API server does not serve a kind.
func absent(err error) bool { return meta.IsNoMatchError(err) || apierrors.IsNotFound(err) }

// last returns the newest of some GraphRevisions; nil without one.
func last(list []revisions.GraphRevision) *revisions.GraphRevision {
	if len(list) == 0 {
		return nil
	}
	return &list[len(list)-1]
}

// owned reports whether a GraphRevision belongs to the definition of that UID, and is not being deleted.
func owned(g *revisions.GraphRevision, uid types.UID) bool {
	return g.DeletionTimestamp == nil && slices.ContainsFunc(g.OwnerReferences, func(o metav1.OwnerReference) bool { return o.UID == uid })
}

// same reports whether the snapshot of a GraphRevision has a spec of that hash.
func same(g *revisions.GraphRevision, sum string) bool {
	have, err := hash.Spec(g.Spec.Snapshot.Spec)
	return err == nil && have == sum
}

// revision returns the GraphRevision of a generation, with the labels and the name that kro looks for.
func revision(rgd *v1alpha1.ResourceGraphDefinition, sum string, newest *revisions.GraphRevision) *revisions.GraphRevision {
	number := rgd.Status.LastIssuedRevision
	if newest != nil {
		number = max(number, newest.Spec.Revision)
	}
	number++
	out := &revisions.GraphRevision{
		ObjectMeta: metav1.ObjectMeta{
			Name:            revisionName(rgd.Name, number),
			Labels:          map[string]string{metadata.ResourceGraphDefinitionNameLabel: rgd.Name},
			OwnerReferences: []metav1.OwnerReference{metadata.NewResourceGraphDefinitionOwnerReference(rgd.Name, rgd.UID)},
		},
		Spec: revisions.GraphRevisionSpec{Revision: number, Snapshot: revisions.ResourceGraphDefinitionSnapshot{
			Name: rgd.Name, Generation: rgd.Generation, Spec: *rgd.Spec.DeepCopy(),
		}},
	}
	metadata.NewKROMetaLabeler().ApplyLabels(out)
	metadata.NewGraphRevisionHashLabeler(sum).ApplyLabels(out)
	return out
}

// revisionName returns the name of a GraphRevision: NAME-rNUMBER, and with a hash of NAME where that is cut.
func revisionName(name string, number int64) string {
	const longest = 253
	end := fmt.Sprintf("-r%05d", number)
	if len(name)+len(end) <= longest {
		return name + end
	}
	h := fnv.New32a()
	h.Write([]byte(name)) // a hash does not fail
	end += fmt.Sprintf("-%x", h.Sum(nil))
	return strings.TrimRight(name[:longest-len(end)], ".-") + end
}
