// SPDX-License-Identifier: Apache-2.0

package relation_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/systems"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestWitness_rows holds verdicts to objects of real controllers, as they were while something was made, rolled out or waited for: judged
// long after, when nothing is new any more.
func TestWitness_rows(t *testing.T) {
	const folder = "../../../../shared/witness"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("skipped: the objects of real controllers are not here: ", folder)
	}
	set, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		file string
		// want is by kind and name.
		want map[string]string
		// quiet: nothing has failed, so nothing is Failed or Degraded.
		quiet bool
		// current lists the kinds of which every object is Current.
		current []string
	}{
		"everything is ready": {file: "ready.json", quiet: true,
			current: []string{"Cluster", "KubeadmControlPlane", "MachineDeployment", "MachineSet", "Machine", "KubeadmConfig", "DevMachine",
				"DevCluster"}},
		"a cluster is being made": {file: "provisioning-6s.json", quiet: true,
			want: map[string]string{"Cluster/prod": "InProgress", "MachineDeployment/prod-md-0": "InProgress",
				"KubeadmControlPlane/prod-cp": "InProgress", "DevCluster/prod": "Current"}},
		"the third machine is coming": {file: "cp-2-of-3.json", quiet: true,
			want: map[string]string{"Cluster/prod": "InProgress", "KubeadmControlPlane/prod-cp": "InProgress",
				"MachineDeployment/prod-md-0": "Current"}},
		"one new machine boots": {file: "upgrade-9s.json", quiet: true,
			want: map[string]string{"Cluster/prod": "InProgress", "KubeadmControlPlane/prod-cp": "InProgress",
				"MachineDeployment/prod-md-0": "Current"}},
		"the machine of a new template never starts": {file: "rollout-stuck.json", quiet: true,
			want: map[string]string{"Cluster/quiet": "InProgress", "MachineDeployment/quiet-md-0": "InProgress",
				"DevMachine/quiet-md-0-q54z4-pw96p": "InProgress", "KubeadmControlPlane/quiet-cp": "Current"}},
		"a node is not healthy":        {file: "unhealthy-node.json", want: map[string]string{"Cluster/prod": "InProgress"}},
		"the infrastructure is gone":   {file: "infra-deleted.json", want: map[string]string{"Cluster/prod": "InProgress"}},
		"the API server is down":       {file: "unreachable.json", want: map[string]string{"Cluster/stage": "Failed"}},
		"a finalizer holds a deletion": {file: "deletion-held.json", want: map[string]string{"Cluster/old": "Terminating"}},
		"kro waits for a Deployment":   {file: "kro.json", want: map[string]string{"WebAppRW/waits": "InProgress", "WebAppRW/badname": "Failed"}},
		"kro deletes an instance":      {file: "kro-deleting.json", want: map[string]string{"WebApp/shop": "Terminating"}},
		"certificates and issuers": {file: "cm.json", want: map[string]string{"Certificate/good": "Current",
			"Certificate/no-issuer": "InProgress", "Certificate/bad": "InProgress",
			"Certificate/via-vault": "InProgress", "ClusterIssuer/vault": "Failed", "CertificateRequest/no-issuer-1": "InProgress",
			"Issuer/self": "Current"}},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(folder, row.file))
			if err != nil {
				t.Fatal(err)
			}
			var list unstructured.UnstructuredList
			if err := json.Unmarshal(data, &list); err != nil {
				t.Fatal(err)
			}
			of, seen := relation.JudgeBy(pack.Default(set), set, time.Now()), map[string]bool{}
			for i := range list.Items {
				o := relation.FromContent(list.Items[i].Object)
				j, name := of(o), o.Kind+"/"+o.Name
				seen[name] = true
				if want := row.want[name]; want != "" && want != string(j.Verdict) {
					t.Errorf("%s: want %s, got %s %s: %s", name, want, j.Verdict, j.Reason, j.Message)
				}
				if row.quiet && (j.Verdict == verdict.Failed || j.Verdict == verdict.Degraded) {
					t.Errorf("%s: nothing has failed, got %s %s: %s", name, j.Verdict, j.Reason, j.Message)
				}
				if slices.Contains(row.current, o.Kind) && j.Verdict != verdict.Current {
					t.Errorf("%s: want Current, got %s %s: %s", name, j.Verdict, j.Reason, j.Message)
				}
			}
			for name := range row.want {
				if !seen[name] {
					t.Errorf("%s is not in %s", name, row.file)
				}
			}
		})
	}
}

// A real kro calls an instance Ready while its Deployment has no pod yet: judged alone it is Current, with the doubt that its children
// count; with the Deployment it is in progress, because of it.
func TestClaimsReady(t *testing.T) {
	set, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	g := relation.New(set)
	app := map[string]any{"apiVersion": "kro.run/v1alpha1", "kind": "WebApp",
		"metadata": map[string]any{"name": "shop", "namespace": "default", "uid": "1", "generation": int64(1)},
		"spec":     map[string]any{"replicas": int64(2)}, "status": map[string]any{"state": "ACTIVE", "conditions": []any{
			map[string]any{"type": "InstanceManaged", "status": "True", "reason": "Managed", "observedGeneration": int64(1)},
			map[string]any{"type": "GraphResolved", "status": "True", "reason": "Resolved", "observedGeneration": int64(1)},
			map[string]any{"type": "ResourcesReady", "status": "True", "reason": "AllResourcesReady", "observedGeneration": int64(1)},
			map[string]any{"type": "Ready", "status": "True", "reason": "Ready", "observedGeneration": int64(1)}}}}
	deployment := map[string]any{"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": "shop", "namespace": "default", "uid": "2", "generation": int64(1),
			"ownerReferences": []any{map[string]any{"apiVersion": "kro.run/v1alpha1", "kind": "WebApp", "name": "shop", "uid": "1",
				"controller": true}}},
		"spec": map[string]any{"replicas": int64(2)}, "status": map[string]any{"observedGeneration": int64(1), "replicas": int64(2),
			"unavailableReplicas": int64(2), "conditions": []any{
				map[string]any{"type": "Available", "status": "False", "reason": "MinimumReplicasUnavailable", "message": "no pod runs"}}}}
	root := relation.FromContent(app)
	g.Put(root)
	g.Put(relation.FromContent(deployment))
	of := relation.JudgeBy(pack.Default(set), set, time.Now())
	if alone := of(root); alone.Verdict != verdict.Current || !slices.Contains(alone.Contradictions, relation.ChildrenNotRead) {
		t.Errorf("alone: want Current with a doubt, got %s %q", alone.Verdict, alone.Contradictions)
	}
	n := (&relation.View{Graph: g, Judge: of}).Build(root.ID)
	if j := n.Judgement; j.Verdict != verdict.InProgress || j.Ready || j.Reason != "ChildInProgress" ||
		slices.Contains(j.Contradictions, relation.ChildrenNotRead) {
		t.Errorf("want InProgress ChildInProgress, got %s %s, ready %t, doubts %q", j.Verdict, j.Reason, j.Ready, j.Contradictions)
	}
	causes := relation.Causes(n)
	if len(causes) != 1 || causes[0].Node.Kind != "Deployment" {
		t.Fatalf("want the Deployment as the cause, got %v", causes)
	}
}
