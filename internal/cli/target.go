// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"
	"strings"

	"github.com/tristate/tristate/relation"
)

// target is TYPE/NAME as it stands on the command line; Name may be empty.
type target struct{ Type, Name string }

// parseTargets reads "TYPE/NAME ...", "TYPE NAME ..." and "TYPE,...".
func parseTargets(args []string) ([]target, error) {
	if len(args) == 0 {
		return nil, nil
	}
	if !strings.Contains(args[0], "/") {
		var out []target
		if len(args) == 1 {
			for _, word := range strings.Split(args[0], ",") {
				out = append(out, target{Type: word})
			}
			return out, nil
		}
		for _, name := range args[1:] {
			if strings.Contains(name, "/") {
				return nil, usagef("%q: write either TYPE NAME or TYPE/NAME", strings.Join(args, " "))
			}
			out = append(out, target{args[0], name})
		}
		return out, nil
	}
	var out []target
	for _, arg := range args {
		kind, name, _ := strings.Cut(arg, "/")
		if kind == "" || name == "" || strings.Contains(name, "/") {
			return nil, usagef("%q is not TYPE/NAME", arg)
		}
		out = append(out, target{kind, name})
	}
	return out, nil
}

// shortNames are what people write for kinds on files, where no API server tells.
var shortNames = map[string]string{"kcp": "KubeadmControlPlane", "md": "MachineDeployment", "ms": "MachineSet", "ma": "Machine",
	"deploy": "Deployment", "rs": "ReplicaSet", "sts": "StatefulSet", "ds": "DaemonSet", "po": "Pod", "svc": "Service",
	"cj": "CronJob", "cm": "ConfigMap", "crd": "CustomResourceDefinition", "csr": "CertificateSigningRequest", "ep": "Endpoints", "ev": "Event",
	"limits": "LimitRange", "netpol": "NetworkPolicy", "pc": "PriorityClass", "pdb": "PodDisruptionBudget", "quota": "ResourceQuota",
	"rc": "ReplicationController", "sa": "ServiceAccount", "sc": "StorageClass", "pvc": "PersistentVolumeClaim", "pv": "PersistentVolume", "ns": "Namespace", "no": "Node", "ing": "Ingress", "hpa": "HorizontalPodAutoscaler"}

// matches tells whether an object is of the type that somebody wrote: a kind, its plural or short name, with or without the group.
func (t target) matches(id relation.ID) bool {
	if t.Name != "" && t.Name != id.Name {
		return false
	}
	word, group, withGroup := strings.Cut(strings.ToLower(t.Type), ".")
	if withGroup && group != id.Group && !strings.HasSuffix(group, "."+id.Group) {
		return false
	}
	kind := strings.ToLower(id.Kind)
	plurals := []string{kind, kind + "s", kind + "es"}
	if strings.HasSuffix(kind, "y") {
		plurals = append(plurals, kind[:len(kind)-1]+"ies")
	}
	return slices.Contains(plurals, word) || strings.EqualFold(shortNames[word], id.Kind)
}
