// SPDX-License-Identifier: Apache-2.0

package karseval

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// runsAs reports whether a pod runs exactly the program of a run. Labels, names and owner references of Jobs and pods are claims of
// whoever writes them, so a report counts by the program that has printed it. Defaults of the API server are no difference, and neither
// is where and as whom a pod runs.
func runsAs(want, have corev1.PodSpec) bool {
	return equality.Semantic.DeepEqual(program(want), program(have))
}

// program returns the parts of a pod that decide what its containers do, without defaults.
func program(p corev1.PodSpec) corev1.PodSpec {
	out := corev1.PodSpec{InitContainers: p.InitContainers, EphemeralContainers: p.EphemeralContainers, HostNetwork: p.HostNetwork,
		HostAliases: p.HostAliases, DNSConfig: p.DNSConfig}
	for _, c := range p.Containers {
		c = *c.DeepCopy()
		c.TerminationMessagePath, c.TerminationMessagePolicy, c.ImagePullPolicy = "", "", ""
		out.Containers = append(out.Containers, c)
	}
	for _, v := range p.Volumes {
		if v = *v.DeepCopy(); v.ConfigMap != nil {
			v.ConfigMap.DefaultMode = nil
		}
		out.Volumes = append(out.Volumes, v)
	}
	return out
}
