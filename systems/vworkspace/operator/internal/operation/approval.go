// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/approval"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// +kubebuilder:rbac:groups=argoproj.io,resources=workflowtemplates,verbs=get

// required reports whether an operation needs an approval. One that needed it once always does.
func required(o *api.Operation) bool { return o.Spec.Approvals.Required || o.Status.Approval != nil }

// approval verifies the claim where one is required.
func (g *gatherer) approval(ctx context.Context, o *api.Operation, target *appsapi.ApplicationInstance, f *Facts) error {
	if !required(o) {
		return nil
	}
	resolved, err := resolve(ctx, g.Env, o, target)
	subject := claim.Subject{}
	if err == nil {
		subject, err = claim.Operation(g.ClusterID, o, resolved)
	}
	if errors.Is(err, claim.ErrInexact) || errors.Is(err, errUnpinned) {
		f.Approval, f.Unapproved = &approval.Approval{Cluster: g.ClusterID}, err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	keys, err := g.ApprovalKeys(ctx)
	if err != nil {
		return err
	}
	f.Approval = &approval.Approval{Cluster: g.ClusterID, Digest: subject.Digest, Resolved: resolved}
	c, err := claim.Verify(keys, o.Spec.Approvals.Claim, subject, f.Now)
	if err != nil {
		f.Unapproved = err.Error()
		return nil
	}
	f.ApprovalTo = time.Unix(c.Expires, 0)
	f.Approval.By, f.Approval.KeyID, f.Approval.ClaimID, f.Approval.Expires = c.By, c.KeyID, c.ID, operator.Time(f.ApprovalTo.UTC())
	return nil
}

// changed reports whether an operation that was approved would do something else now.
func (g *gatherer) changed(ctx context.Context, o *api.Operation, target *appsapi.ApplicationInstance) (bool, error) {
	if o.Status.Approval == nil {
		return false, nil
	}
	resolved, err := resolve(ctx, g.Env, o, target)
	if err != nil {
		return false, err
	}
	subject, err := claim.Operation(g.ClusterID, o, resolved)
	return subject.Digest != o.Status.Approval.Digest, err
}

// Subject returns what an approval of an operation approves now.
func Subject(ctx context.Context, e *kit.Env, o *api.Operation) (claim.Subject, error) {
	target := &appsapi.ApplicationInstance{}
	if err := e.Manager.GetClient().Get(ctx, client.ObjectKey{Namespace: o.Namespace, Name: o.Spec.TargetRef.Name},
		target); client.IgnoreNotFound(err) != nil {
		return claim.Subject{}, err
	}
	resolved, err := resolve(ctx, e, o, target)
	if err != nil {
		return claim.Subject{}, err
	}
	return claim.Operation(e.ClusterID, o, resolved)
}

// resolve returns the objects that decide, besides the spec, what an operation does: its target, and those that its parameters name.
func resolve(ctx context.Context, e *kit.Env, o *api.Operation, target *appsapi.ApplicationInstance) (list []approval.Reference,
	err error) {
	of := approval.Reference{Kind: "ApplicationInstance", Name: o.Spec.TargetRef.Name, UID: string(target.UID)}
	p := o.Spec.Parameters
	if o.Spec.Engine == engine.Helm {
		chart := target.Spec.Chart
		chart.Version = "" // it is a parameter
		if of.Digest, err = claim.Digest(chart); err != nil {
			return nil, err
		}
	}
	list = []approval.Reference{of}
	add := func(gvk schema.GroupVersionKind, namespace, name string, used ...string) error {
		ref, err := look(ctx, e, gvk, client.ObjectKey{Namespace: namespace, Name: name}, used...)
		if namespace != o.Namespace {
			ref.Namespace = namespace
		}
		list = append(list, ref)
		return err
	}
	switch kind := engine.Kind(o).Kind; {
	case kind == "Restore" && p.Velero != nil:
		err = add(kit.GVK("velero.io", "Backup"), engine.Namespace(o, e.VeleroNamespace()), p.Velero.BackupName)
	case kind == "Workflow" && p.Workflow != nil:
		err = add(engine.WorkflowTemplate, o.Namespace, p.Workflow.Template, "spec")
	}
	return list, err
}

// errUnpinned is a content that refers to another one, which may change after the approval.
var errUnpinned = errors.New("what it refers to cannot be approved with it")

// pinned returns an errUnpinned where a content refers to a template of another object, at whatever place: the engine reads that once the
// operation runs.
func pinned(path string, content any) error {
	switch content := content.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(content)) {
			if key == "templateRef" || key == "workflowTemplateRef" {
				return fmt.Errorf("%s.%s: %w", path, key, errUnpinned)
			}
			if err := pinned(path+"."+key, content[key]); err != nil {
				return err
			}
		}
	case []any:
		for i, item := range content {
			if err := pinned(fmt.Sprintf("%s[%d]", path, i), item); err != nil {
				return err
			}
		}
	}
	return nil
}

// look reads an object; used names a field whose content counts, besides its identity. What does not exist has no uid.
func look(ctx context.Context, e *kit.Env, gvk schema.GroupVersionKind, key client.ObjectKey, used ...string) (approval.Reference, error) {
	ref := approval.Reference{Kind: gvk.Kind, Name: key.Name}
	if len(used) == 0 {
		object := &metav1.PartialObjectMetadata{}
		object.SetGroupVersionKind(gvk)
		err := ignoreGone(e.Manager.GetAPIReader().Get(ctx, key, object))
		ref.UID = string(object.UID)
		return ref, err
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gvk)
	if err := ignoreGone(e.Manager.GetAPIReader().Get(ctx, key, u)); err != nil || u.GetUID() == "" {
		return ref, err
	}
	content, _, _ := unstructured.NestedFieldNoCopy(u.Object, used...)
	var err error
	ref.UID = string(u.GetUID())
	if ref.Digest, err = claim.Digest(content); err == nil {
		err = pinned(gvk.Kind+" "+key.Name+": "+strings.Join(used, "."), content)
	}
	return ref, err
}
