// SPDX-License-Identifier: Apache-2.0

package relation_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/systems"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestWitness holds causes to objects of real controllers: which object and condition explain the root.
func TestWitness(t *testing.T) {
	const folder = "../../../../shared/witness"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("the objects of real controllers are not here: ", folder)
	}
	set, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		file, group, kind, name string
		want                    string // verdict of the root, then kind, type and reason of its first cause
		others                  int    // further causes
	}{
		"everything is ready": {"ready.json", "cluster.x-k8s.io", "Cluster", "prod", "Current", 0},
		"the infrastructure was deleted": {"infra-deleted.json", "cluster.x-k8s.io", "Cluster", "prod",
			"InProgress: Machine InfrastructureReady ObjectDeleted", 0},
		"a node is not healthy": {"unhealthy-node.json", "cluster.x-k8s.io", "Cluster", "prod",
			"InProgress: Machine NodeHealthy NodeNotHealthy", 0},
		"the API server is down": {"unreachable.json", "cluster.x-k8s.io", "Cluster", "stage",
			"Failed: Cluster RemoteConnectionProbe ProbeFailed", 0},
		"a finalizer holds the deletion": {"deletion-held.json", "cluster.x-k8s.io", "Cluster", "old",
			"Terminating: DevMachine  FinalizersLeft", 0},
		"a finalizer on a Deployment":       {"kro-deleting.json", "kro.run", "WebApp", "shop", "Terminating: Deployment  FinalizersLeft", 0},
		"a Deployment of kro has failed":    {"kro.json", "kro.run", "WebAppRW", "waits", "Failed: Pod  Pending", 0},
		"a Certificate waits for an issuer": {"cm.json", "cert-manager.io", "Certificate", "no-issuer", "Degraded: Issuer  NotFound", 0},
		"what a Certificate writes is apart": {"cm.json", "cert-manager.io", "Certificate", "bad", "InProgress: Certificate Issuing DoesNotExist",
			0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(folder, test.file))
			if err != nil {
				t.Fatal(err)
			}
			var list unstructured.UnstructuredList
			if err := json.Unmarshal(data, &list); err != nil {
				t.Fatal(err)
			}
			g := relation.New(set)
			var root relation.ID
			for i := range list.Items {
				o := relation.FromContent(list.Items[i].Object)
				g.Put(o)
				if o.Group == test.group && o.Kind == test.kind && o.Name == test.name {
					root = o.ID
				}
			}
			view := &relation.View{Graph: g, Judge: relation.JudgeBy(pack.Default(set), set, time.Now())}
			n := view.Build(root)
			if n == nil {
				t.Fatalf("%s %s is not in %s", test.kind, test.name, test.file)
			}
			causes := relation.Causes(n)
			got := string(n.Judgement.Verdict)
			if len(causes) > 0 {
				j := causes[0].Node.Judgement
				got += ": " + causes[0].Node.Kind + " " + j.Type + " " + j.Reason
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if more := max(len(causes)-1, 0); more != test.others {
				t.Errorf("want %d further causes, got %d", test.others, more)
			}
			if test.file == "infra-deleted.json" && causes[0].Node.Judgement.Remedy == "" {
				t.Error("nothing says what to do about a Machine whose infrastructure is gone")
			}
		})
	}
}
