// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"cmp"
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
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// +kubebuilder:rbac:groups=argoproj.io,resources=workflowtemplates,verbs=get

// required reports whether an operation needs an approval. One that needed it once always does, and so does every command.
func required(o *api.Operation) bool {
	return o.Spec.Approvals.Required || o.Status.Approval != nil || o.Spec.Type == engine.RunCommand
}

// account returns the ServiceAccount that the Job of an operation runs under; empty: none, and without a token.
func account(o *api.Operation) string {
	if job := o.Spec.Parameters.Job; o.Spec.Engine == engine.Job && job != nil {
		return job.ServiceAccountName
	}
	return ""
}

// accountProblem reports a ServiceAccount that the administrator has not listed: an operation would do as it what its
// author may not do.
func accountProblem(e *kit.Env, o *api.Operation) string {
	name := account(o)
	if name == "" || slices.Contains(e.OperationAccounts, name) {
		return ""
	}
	return fmt.Sprintf("ServiceAccount %s is not listed by --operation-account", name)
}

// approval verifies the claim where one is required.
func (g *gatherer) approval(ctx context.Context, o *api.Operation, target *appsapi.ApplicationInstance, f *Facts) error {
	if !required(o) {
		return nil
	}
	resolved, _, err := resolve(ctx, g.Env, o, target)
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

// approved returns the content that was approved by reference, or [claim.ErrChanged] if the operation would do
// something else now. The object of the engine is made of this content, and not of a name that the engine looks up
// later.
func (g *gatherer) approved(ctx context.Context, o *api.Operation, target *appsapi.ApplicationInstance,
	f *Facts) (map[string]any, error) {
	approved := cmp.Or(f.Approval, o.Status.Approval)
	if approved == nil {
		return nil, nil
	}
	resolved, content, err := resolve(ctx, g.Env, o, target)
	if errors.Is(err, errUnpinned) {
		return nil, claim.ErrChanged
	}
	if err != nil {
		return nil, err
	}
	subject, err := claim.Operation(g.ClusterID, o, resolved)
	if err == nil && subject.Digest != approved.Digest {
		err = claim.ErrChanged
	}
	return content, err
}

// Subject returns what an approval of an operation approves now.
func Subject(ctx context.Context, e *kit.Env, o *api.Operation) (claim.Subject, error) {
	target := &appsapi.ApplicationInstance{}
	if err := e.Manager.GetClient().Get(ctx, client.ObjectKey{Namespace: o.Namespace, Name: o.Spec.TargetRef.Name},
		target); client.IgnoreNotFound(err) != nil {
		return claim.Subject{}, err
	}
	resolved, _, err := resolve(ctx, e, o, target)
	if err != nil {
		return claim.Subject{}, err
	}
	return claim.Operation(e.ClusterID, o, resolved)
}

// resolve returns the objects that decide, besides the spec, what an operation does: its target, and the ones that its
// parameters name. content is the spec of the WorkflowTemplate; it is empty, and not nil, if there is no such template.
func resolve(ctx context.Context, e *kit.Env, o *api.Operation,
	target *appsapi.ApplicationInstance) (list []approval.Reference, content map[string]any, err error) {
	of := approval.Reference{Kind: "ApplicationInstance", Name: o.Spec.TargetRef.Name, UID: string(target.UID)}
	p := o.Spec.Parameters
	if o.Spec.Engine == engine.Helm {
		chart := target.Spec.Chart
		chart.Version = "" // it is a parameter
		if of.Digest, err = claim.Digest(chart); err != nil {
			return nil, nil, err
		}
	}
	list = []approval.Reference{of}
	switch kind := engine.Kind(o).Kind; {
	case kind == "Restore" && p.Velero != nil:
		b, readErr := backup(ctx, e, o)
		ref := approval.Reference{Kind: "Backup", Name: p.Velero.BackupName, UID: string(b.UID)}
		if namespace := e.VeleroNamespace(); namespace != o.Namespace {
			ref.Namespace = namespace
		}
		list, err = append(list, ref), readErr
	case kind == "Workflow" && p.Workflow != nil:
		var ref approval.Reference
		ref, content, err = template(ctx, e, client.ObjectKey{Namespace: o.Namespace, Name: p.Workflow.Template})
		list = append(list, ref)
	}
	return list, content, err
}

// errUnpinned is a content that refers to another one, which may change after the approval.
var errUnpinned = errors.New("what it refers to cannot be approved with it")

// pinned returns an errUnpinned where a content refers to a template of another object, or takes a parameter from one,
// at whatever place: the engine reads that once the operation runs.
func pinned(path string, content any) error {
	switch content := content.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(content)) {
			parameter := key == "configMapKeyRef" && strings.Contains(path, ".parameters[")
			if key == "templateRef" || key == "workflowTemplateRef" || parameter {
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

// backup reads the Backup that an operation restores. One that does not exist has no uid.
func backup(ctx context.Context, e *kit.Env, o *api.Operation) (*metav1.PartialObjectMetadata, error) {
	b := &metav1.PartialObjectMetadata{}
	b.SetGroupVersionKind(kit.GVK("velero.io", "Backup"))
	key := client.ObjectKey{Namespace: e.VeleroNamespace(), Name: o.Spec.Parameters.Velero.BackupName}
	return b, ignoreGone(e.Manager.GetAPIReader().Get(ctx, key, b))
}

// backupProblem reports a Backup of another namespace. The namespace of Velero belongs to the administrator, and so do
// the labels in it: the operator labels the Backups that it creates, and an administrator those that he shares.
func backupProblem(ctx context.Context, e *kit.Env, o *api.Operation) (string, error) {
	if engine.Kind(o).Kind != "Restore" || o.Spec.Parameters.Velero == nil {
		return "", nil
	}
	b, err := backup(ctx, e, o)
	if err != nil || b.UID == "" || b.Labels[engine.LabelNamespace] == o.Namespace ||
		e.SharedBackups != nil && e.SharedBackups.Matches(labels.Set(b.Labels)) {
		return "", err
	}
	return fmt.Sprintf("Backup %s is not of this namespace: it has not the label %s=%s, and is not selected by "+
		"--shared-backups", b.Name, engine.LabelNamespace, o.Namespace), nil
}

// template reads a WorkflowTemplate, and returns its spec. One that does not exist has no uid.
func template(ctx context.Context, e *kit.Env, key client.ObjectKey) (ref approval.Reference, spec map[string]any,
	err error) {
	ref = approval.Reference{Kind: engine.WorkflowTemplate.Kind, Name: key.Name}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(engine.WorkflowTemplate)
	if err := ignoreGone(e.Manager.GetAPIReader().Get(ctx, key, u)); err != nil || u.GetUID() == "" {
		return ref, map[string]any{}, err
	}
	ref.UID = string(u.GetUID())
	spec, _, _ = unstructured.NestedMap(u.Object, "spec")
	if ref.Digest, err = claim.Digest(spec); err == nil {
		err = pinned(ref.Kind+" "+key.Name+": spec", spec)
	}
	return ref, spec, err
}
