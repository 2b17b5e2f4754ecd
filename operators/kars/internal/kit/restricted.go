// SPDX-License-Identifier: Apache-2.0

package kit

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// unprivileged is the user and group of the containers: an image whose own user is root runs as this one.
const unprivileged = 65532

// RestrictedPod returns the security context of a pod by the restricted profile of Kubernetes' pod security standards.
func RestrictedPod() *corev1.PodSecurityContext {
	return &corev1.PodSecurityContext{RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To[int64](unprivileged),
		RunAsGroup: ptr.To[int64](unprivileged),
		FSGroup:    ptr.To[int64](unprivileged), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}}
}

// RestrictedContainer returns that of its containers, with a root file system that is read only or not.
func RestrictedContainer(readOnly bool) *corev1.SecurityContext {
	return &corev1.SecurityContext{AllowPrivilegeEscalation: ptr.To(false), ReadOnlyRootFilesystem: ptr.To(readOnly),
		Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}}
}
