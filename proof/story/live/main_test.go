// SPDX-License-Identifier: Apache-2.0

package live_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story/live"
	"github.com/tristate/tristate/systems"
	"k8s.io/client-go/rest"
)

func TestMain(m *testing.M) { plane.Main(m) }

// patience is how long a test waits for what must come.
const patience = 5 * time.Minute

func patient(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// server returns a control plane with the Cluster API definitions.
func server(t *testing.T) *rest.Config {
	t.Helper()
	config := plane.ForTest(t)
	data, err := systems.CRDs.ReadFile("cluster-api/crds.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := live.Install(patient(t), config, data); err != nil {
		t.Fatal(err)
	}
	return config
}

// shipped loads the catalogs of the kinds that server defines.
func shipped(t *testing.T) *catalog.Set {
	t.Helper()
	set, err := catalog.LoadFS(systems.Catalogs, "cluster-api/catalog.yaml")
	if err != nil {
		t.Fatalf("load catalogs:\n%v", err)
	}
	return set
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func diff(t *testing.T, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}
