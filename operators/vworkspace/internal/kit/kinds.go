// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"github.com/tristate/tristate/operators/vworkspace/internal/served"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kinds of other projects that the operator creates or watches, in the version that it speaks.
var Kinds = []served.Kind{
	kind("source.toolkit.fluxcd.io", "v1", "OCIRepository", "ocirepositories"),
	kind("source.toolkit.fluxcd.io", "v1", "HelmRepository", "helmrepositories"),
	kind("helm.toolkit.fluxcd.io", "v2", "HelmRelease", "helmreleases"),
	kind("cert-manager.io", "v1", "Certificate", "certificates"),
	kind("external-secrets.io", "v1", "ExternalSecret", "externalsecrets"),
	kind("velero.io", "v1", "Backup", "backups"),
	kind("velero.io", "v1", "Restore", "restores"),
	kind("argoproj.io", "v1alpha1", "Workflow", "workflows"),
	kind("volsync.backube", "v1alpha1", "ReplicationSource", "replicationsources"),
	kind("volsync.backube", "v1alpha1", "ReplicationDestination", "replicationdestinations"),
	kind("snapshot.storage.k8s.io", "v1", "VolumeSnapshot", "volumesnapshots"),
}

func kind(group, version, name, plural string) served.Kind {
	return served.Kind{GroupVersionKind: schema.GroupVersionKind{Group: group, Version: version, Kind: name}, Plural: plural}
}

// GVK returns the version of a kind of another project that the operator speaks; without a version where it does not know the kind.
func GVK(group, name string) schema.GroupVersionKind {
	for _, k := range Kinds {
		if k.Group == group && k.Kind == name {
			return k.GroupVersionKind
		}
	}
	return schema.GroupVersionKind{Group: group, Kind: name}
}
