// SPDX-License-Identifier: Apache-2.0

package applicationinstance

import (
	"testing"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/google/go-cmp/cmp"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
)

// TestParse reads entries as Flux writes them: helm-controller v1.6.5, api/v2/inventory_types.go.
func TestParse(t *testing.T) {
	tests := map[string]struct{ id, want string }{
		"a core kind":         {"team_web__Service", "/v1, Kind=Service team/web"},
		"a group":             {"team_web_networking.k8s.io_Ingress", "networking.k8s.io/v1, Kind=Ingress team/web"},
		"without a namespace": {"_reader_rbac.authorization.k8s.io_ClusterRole", "rbac.authorization.k8s.io/v1, Kind=ClusterRole /reader"},
		"a colon in the name": {"_system__reader_rbac.authorization.k8s.io_ClusterRole",
			"rbac.authorization.k8s.io/v1, Kind=ClusterRole /system:reader"},
		"nothing":         {"", ""},
		"one word":        {"web", ""},
		"no kind":         {"team_web_apps_", ""},
		"no name":         {"team__apps_Deployment", ""},
		"only separators": {"___", ""},
		"no group":        {"team_Service", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			gvk, key, ok := parse(api.InventoryEntry{ID: test.id, Version: "v1"})
			got := ""
			if ok {
				got = gvk.String() + " " + key.Namespace + "/" + key.Name
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestInventory: the inventory is bounded.
func TestInventory(t *testing.T) {
	hr := &helmv2.HelmRelease{}
	if got := inventory(hr); got != nil {
		t.Errorf("%v of a HelmRelease without one", got)
	}
	hr.Status.Inventory = &helmv2.ResourceInventory{Entries: make([]helmv2.ResourceRef, maxInventory+1)}
	if n := len(inventory(hr)); n != maxInventory {
		t.Errorf("%d entries, want %d", n, maxInventory)
	}
}
