// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
)

// LabelOperation has, on the object of an engine, the uid of the operation. The cache selects by it; it proves nothing.
const LabelOperation = "ops.vworkspace.io/operation"

// LabelNamespace has, on the object of an engine, the namespace of the operation.
const LabelNamespace = "ops.vworkspace.io/operation-namespace"

// The engines.
const (
	Velero   = "velero"
	Workflow = "workflow"
	Job      = "job"
	Helm     = "helm"
)

// The types of operations.
const (
	Backup     = "Backup"
	Restore    = "Restore"
	Upgrade    = "Upgrade"
	Migration  = "Migration"
	RunCommand = "RunCommand"
	Runbook    = "Runbook"
)

// Phase is how far an engine is.
type Phase string

// The phases of an engine.
const (
	Waiting   Phase = "Waiting" // it has not begun to work
	Running   Phase = "Running"
	Succeeded Phase = "Succeeded"
	Failed    Phase = "Failed"
)

// State is the state of an object by its status.
type State struct {
	Phase   Phase
	Message string
}

// Names of the fields that an object names the target's objects with.
const maxName = 63

// Name returns the name of an operation's object.
func Name(o *api.Operation) string {
	suffix := "-" + strings.ReplaceAll(string(o.UID), "-", "")[:8]
	name := o.Name
	if len(name) > maxName-len(suffix) {
		name = strings.TrimRight(name[:maxName-len(suffix)], "-.")
	}
	return name + suffix
}

// Kind returns the kind of object that an operation works with.
func Kind(o *api.Operation) schema.GroupVersionKind {
	switch o.Spec.Engine {
	case Velero:
		if o.Spec.Type == Restore {
			return kit.GVK("velero.io", "Restore")
		}
		return kit.GVK("velero.io", "Backup")
	case Workflow:
		return kit.GVK("argoproj.io", "Workflow")
	case Helm:
		return kit.GVK("helm.toolkit.fluxcd.io", "HelmRelease")
	}
	return batchv1.SchemeGroupVersion.WithKind("Job")
}

// WorkflowTemplate is the kind that a Workflow is made of.
var WorkflowTemplate = schema.GroupVersionKind{Group: "argoproj.io", Version: "v1alpha1", Kind: "WorkflowTemplate"}

// BuiltIn reports whether every cluster serves a kind.
func BuiltIn(gvk schema.GroupVersionKind) bool { return gvk.Group == batchv1.GroupName }

// Namespace returns the namespace of an operation's object: the one where Velero runs, or the operation's own.
func Namespace(o *api.Operation, velero string) string {
	if o.Spec.Engine == Velero {
		return velero
	}
	return o.Namespace
}

// allowed are the types of operations that an engine can do.
var allowed = map[string][]string{
	Velero: {Backup, Restore}, Helm: {Upgrade},
	Workflow: {Backup, Restore, Upgrade, Migration, RunCommand, Runbook}, Job: {Backup, Restore, Migration, RunCommand, Runbook},
}

// Problems returns the problems of a request, besides those of its target.
func Problems(o *api.Operation) (problems []string) {
	types, known := allowed[o.Spec.Engine]
	if !known {
		return []string{fmt.Sprintf("engine %q is not known", o.Spec.Engine)}
	}
	fits := false
	for _, t := range types {
		fits = fits || t == o.Spec.Type
	}
	if !fits {
		problems = append(problems, fmt.Sprintf("engine %s cannot do a %s", o.Spec.Engine, o.Spec.Type))
	}
	p := o.Spec.Parameters
	missing := map[string]bool{
		"parameters.job.image":          o.Spec.Engine == Job && (p.Job == nil || p.Job.Image == ""),
		"parameters.helm.targetVersion": o.Spec.Engine == Helm && (p.Helm == nil || p.Helm.TargetVersion == ""),
		"parameters.workflow.template":  o.Spec.Engine == Workflow && (p.Workflow == nil || p.Workflow.Template == ""),
		"parameters.velero.backupName":  o.Spec.Engine == Velero && o.Spec.Type == Restore && (p.Velero == nil || p.Velero.BackupName == ""),
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		if missing[name] {
			problems = append(problems, "spec."+name+" is missing")
		}
	}
	return problems
}

// Object returns the object that an operation asks its engine for, with the namespace where Velero runs. Engine helm
// has none. A Workflow has the content of its WorkflowTemplate if that is given, and its name otherwise.
func Object(o *api.Operation, target *appsapi.ApplicationInstance, velero string,
	template map[string]any) (*unstructured.Unstructured, error) {
	spec, err := spec(o, target, template)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	u.SetGroupVersionKind(Kind(o))
	u.SetNamespace(Namespace(o, velero))
	u.SetName(Name(o))
	u.SetLabels(map[string]string{LabelOperation: string(o.UID), LabelNamespace: o.Namespace,
		"ops.vworkspace.io/operation-name": labelValue(o.Name)})
	if u.GetNamespace() == o.Namespace {
		u.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(o, api.GroupVersion.WithKind("Operation"))})
	}
	return u, nil
}

// labelValue cuts a name to the length of a label.
func labelValue(name string) string { return strings.TrimRight(name[:min(len(name), 63)], "-_.") }

func spec(o *api.Operation, target *appsapi.ApplicationInstance, template map[string]any) (map[string]any, error) {
	p := o.Spec.Parameters
	switch Kind(o).Kind {
	case "Backup":
		return map[string]any{"includedNamespaces": []any{o.Namespace},
			"labelSelector": map[string]any{"matchLabels": map[string]any{"app.kubernetes.io/instance": target.Spec.Release.Name}}}, nil
	case "Restore":
		return map[string]any{"backupName": p.Velero.BackupName, "includedNamespaces": []any{o.Namespace}}, nil
	case "Workflow":
		if template == nil {
			template = map[string]any{"workflowTemplateRef": map[string]any{"name": p.Workflow.Template}}
		}
		return template, argue(template, p.Workflow.Arguments)
	}
	return jobSpec(o.Spec.Parameters.Job)
}

// argue sets parameters of the spec of a Workflow, which replace those of the same name.
func argue(spec map[string]any, arguments map[string]string) error {
	if len(arguments) == 0 {
		return nil
	}
	path := []string{"arguments", "parameters"}
	own, _, err := unstructured.NestedSlice(spec, path...)
	if err != nil {
		return err
	}
	own = slices.DeleteFunc(own, func(p any) bool {
		parameter, _ := p.(map[string]any)
		name, _ := parameter["name"].(string)
		_, given := arguments[name]
		return given
	})
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		own = append(own, map[string]any{"name": name, "value": arguments[name]})
	}
	return unstructured.SetNestedSlice(spec, own, path...)
}

// jobSpec returns the spec of a Job.
func jobSpec(p *api.JobParameters) (map[string]any, error) {
	s := batchv1.JobSpec{BackoffLimit: ptr.To[int32](0), Template: corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Annotations: p.PodAnnotations},
		Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, ServiceAccountName: p.ServiceAccountName,
			AutomountServiceAccountToken: ptr.To(p.ServiceAccountName != ""),
			SecurityContext: &corev1.PodSecurityContext{
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
			Containers: []corev1.Container{{Name: "operation", Image: p.Image, Command: p.Command, Args: p.Args,
				SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: ptr.To(false)}}}},
	}}
	if pod := &s.Template.Spec; p.Restricted {
		pod.SecurityContext.RunAsNonRoot = ptr.To(true)
		pod.Containers[0].SecurityContext.Capabilities = &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(&s)
}
