// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"github.com/tristate/tristate/operators/vworkspace/api/approval"
	appsapi "github.com/tristate/tristate/operators/vworkspace/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/operators/vworkspace/api/ops/v1alpha1"
)

// Operation returns the subject of an approval of an operation: its whole spec besides the approvals, and the objects that the spec refers
// to.
func Operation(cluster string, o *opsapi.Operation, resolved []approval.Reference) (Subject, error) {
	spec := o.Spec.DeepCopy()
	spec.Approvals = opsapi.Approvals{}
	return Approves(Object{Cluster: cluster, Kind: "Operation", Namespace: o.Namespace, Name: o.Name, UID: string(o.UID)}, spec, resolved)
}

// Instance returns the subject of an approval of an application: everything that is applied for it. Readiness checks change nothing and are
// left out; of values in a Secret or ConfigMap the reference counts, for Flux reads them by itself.
func Instance(cluster string, o *appsapi.ApplicationInstance) (Subject, error) {
	spec := o.Spec.DeepCopy()
	spec.Probes = nil
	return Approves(Object{Cluster: cluster, Kind: "ApplicationInstance", Namespace: o.Namespace, Name: o.Name, UID: string(o.UID)}, spec, nil)
}
