// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"

	api "github.com/tristate/tristate/operators/vworkspace/api/ops/v1alpha1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

// jobSpec returns the spec of a Job.
func jobSpec(o *api.Operation, from *batchv1.CronJob) (map[string]any, error) {
	var s batchv1.JobSpec
	if o.Spec.Engine == HelmHookJob {
		if from == nil {
			return nil, errors.New("the CronJob of the hook does not exist")
		}
		s = *from.Spec.JobTemplate.Spec.DeepCopy()
	} else {
		p := o.Spec.Parameters.Job
		s = batchv1.JobSpec{BackoffLimit: ptr.To(p.BackoffLimit), Template: corev1.PodTemplateSpec{
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
		if p.TimeoutSeconds > 0 {
			s.ActiveDeadlineSeconds = ptr.To(p.TimeoutSeconds)
		}
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&s)
	if err != nil {
		return nil, err
	}
	return content, nil
}
