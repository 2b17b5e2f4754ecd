// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Chapters of the story.
func (d *story) Chapters() []func(context.Context) {
	return []func(context.Context){d.installs, d.loses, d.approves, d.disconnects}
}

// Stay has the chart of the samples in the registry.
func (d *story) Stay(ctx context.Context) {
	d.Do(func() error { return d.registry.push("shop", "1.0.0") })
	<-ctx.Done()
}

func (d *story) installs(ctx context.Context) {
	d.Say("The cluster registers with its control plane.")
	d.Apply(ctx, fmt.Sprintf(`
kind: Cluster
metadata: {name: %s}
spec:
  clusterId: %s
  controlPlaneEndpoint: %s
  registrationTokenSecretRef: {name: bootstrap, key: token}
  caSecretRef: {name: control-plane-ca, key: ca.crt}
  connectivity: {heartbeatInterval: 15s, disconnectWindow: 5m, recoveryThreshold: 4s}
`, clusterID, clusterID, d.control.URL()))
	d.Wait(ctx, "cluster.ops.vworkspace.io/"+clusterID)
	d.Say("An application is installed from a chart of a registry.")
	d.Do(func() error { return d.registry.push("shop", "1.0.0") })
	d.hold.Store(true)
	d.Apply(ctx, fmt.Sprintf(`
kind: ApplicationInstance
metadata: {name: shop, labels: {app.vworkspace.io/managed-by: control-plane}}
spec:
  appRef: {catalogId: shop}
  chart: {sourceType: oci, url: "oci://%s/charts", name: shop, version: 1.0.0}
  release: {name: shop}
`, d.registry.address))
	d.Reach(ctx, "ApplicationInstance", "shop", "Ready=False Installing", "Reconciling=True HelmReleaseInstalling")
	d.Show(ctx, "tree", "applicationinstance/shop")
	d.hold.Store(false)
	d.Wait(ctx, "applicationinstance/shop")
	d.Show(ctx, "tree", "applicationinstance/shop")
}

func (d *story) loses(ctx context.Context) {
	d.Say("The registry goes away. The application runs on; a new version cannot be fetched.")
	d.registry.down()
	d.Patch(ctx, "ApplicationInstance", "shop", `{"spec":{"chart":{"version":"1.1.0"}}}`)
	d.Reach(ctx, "ApplicationInstance", "shop", "Ready=False ChartUnreachable")
	d.Show(ctx, "tree", "applicationinstance/shop")
	d.Say("Six minutes later, by the operator's clock, the instance is degraded.")
	d.Later(ctx, 6*time.Minute)
	d.Reach(ctx, "ApplicationInstance", "shop", "Ready=False ChartUnreachable", "Degraded=True ChartUnreachable")
	d.Show(ctx, "why", "applicationinstance/shop")
	d.Sample(ctx, "shop.yaml", appsapi.GroupVersion.WithKind("ApplicationInstance"), helmv2.GroupVersion.WithKind("HelmRelease"),
		sourcev1.GroupVersion.WithKind("OCIRepository"))
	d.Say("The registry is back, with the new version.")
	d.Do(d.registry.up)
	d.Do(func() error { return d.registry.push("shop", "1.1.0") })
	d.Wait(ctx, "applicationinstance/shop")
	d.Show(ctx, "tree", "applicationinstance/shop")
}

func (d *story) approves(ctx context.Context) {
	d.Say("A backup is asked for, and waits for its approval.")
	d.Apply(ctx, `
kind: Operation
metadata: {name: before-the-sale, labels: {app.vworkspace.io/managed-by: control-plane}}
spec:
  targetRef: {apiVersion: apps.vworkspace.io/v1alpha1, kind: ApplicationInstance, name: shop}
  type: Backup
  engine: velero
  approvals: {required: true}
`)
	d.Reach(ctx, "Operation", "before-the-sale", "Blocked=True AwaitingApproval")
	d.Show(ctx, "tree", "operation/before-the-sale")
	d.Show(ctx, "why", "operation/before-the-sale")
	d.Sample(ctx, "operation.yaml", opsapi.GroupVersion.WithKind("Operation"))
	d.Say("Ada approves it. The claim is signed for this operation and for what it will do, and for an hour.")
	claimed := ""
	d.Do(func() error {
		o := &opsapi.Operation{}
		if err := d.API.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "before-the-sale"}, o); err != nil {
			return err
		}
		if o.Status.Approval == nil {
			return errors.New("the status of the operation does not say what is approved")
		}
		subject, err := claim.Operation(clusterID, o, o.Status.Approval.Resolved)
		if err == nil {
			claimed, err = claim.Issue(d.key, adaKey, "ada", subject, d.Now(), d.Now().Add(time.Hour))
		}
		return err
	})
	d.Patch(ctx, "Operation", "before-the-sale", fmt.Sprintf(`{"spec":{"approvals":{"claim":%q}}}`, claimed), claimed)
	d.Wait(ctx, "operation/before-the-sale")
	d.Show(ctx, "tree", "operation/before-the-sale")
}

func (d *story) disconnects(ctx context.Context) {
	const self = "cluster.ops.vworkspace.io/" + clusterID
	d.Say("The control plane is lost.")
	connected := []string{"Connected=True RoundTripOK", "Disconnected=False Connected"}
	d.Reach(ctx, "Cluster", clusterID, connected...) // the clock has jumped
	d.control.Down()
	d.Reach(ctx, "Cluster", clusterID, "Connected=False ControlPlaneUnreachable", "Disconnected=False Connected")
	d.Show(ctx, "tree", self)
	d.Say("Ten minutes later, by the operator's clock. Objects keep reconciling, and what happens to them is kept.")
	d.Later(ctx, 10*time.Minute)
	d.Reach(ctx, "Cluster", clusterID, "Connected=False ControlPlaneUnreachable",
		"Disconnected=True NoRecentRoundTrip")
	d.Show(ctx, "why", self)
	d.Sample(ctx, "cluster.yaml", opsapi.GroupVersion.WithKind("Cluster"))
	d.Patch(ctx, "ApplicationInstance", "shop",
		`{"metadata":{"annotations":{"apps.vworkspace.io/reconcile":"disabled"}}}`)
	d.Reach(ctx, "ApplicationInstance", "shop", "Suspended=True ManuallySuspended", "Ready=True HelmReleaseReady")
	d.Show(ctx, "tree", "applicationinstance/shop")
	d.Say("It is back. Once the connection has held the cluster is connected again, and every transition has arrived.")
	d.Do(func() error { return d.control.Up("") })
	d.Later(ctx, time.Minute) // whatever the pause has grown to
	d.Reach(ctx, "Cluster", clusterID, connected...)
	d.Wait(ctx, self)
	d.Until(ctx, func() error {
		for _, e := range d.control.Received() {
			if e.Kind == agent.ConditionTransition && e.ResourceRef.Name == "shop" && e.Conditions[0].Reason == "ManuallySuspended" {
				return nil
			}
		}
		return errors.New("the control plane has no event of the suspension")
	})
	d.Show(ctx, "tree", self)
	for _, e := range d.control.Received() {
		if c := e.Conditions; e.Kind == agent.ConditionTransition && e.ResourceRef.Name == "shop" &&
			(c[0].Type == "Ready" || c[0].Type == "Suspended") {
			fmt.Fprintf(d.Out, "  event %s/%s %s=%s %s\n", e.ResourceRef.Kind, e.ResourceRef.Name, c[0].Type, c[0].Status, c[0].Reason)
		}
	}
}
