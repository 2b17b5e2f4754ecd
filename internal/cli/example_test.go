// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"context"
	"io/fs"
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/proof/golden"
	"github.com/tristate/tristate/proof/story"
	"github.com/tristate/tristate/systems"
	"sigs.k8s.io/yaml"
)

// TestExample holds the objects that documents and scripts use to the story that they come from.
func TestExample(t *testing.T) {
	const head = "# A cluster of the story cluster-api/ssh-key-missing, at its worst moment. Written by go test ./internal/cli -update.\n"
	set, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	data, err := fs.ReadFile(systems.Stories, "cluster-api/ssh-key-missing.txtar")
	if err != nil {
		t.Fatal(err)
	}
	s, err := story.Parse("ssh-key-missing", data)
	if err != nil {
		t.Fatal(err)
	}
	world := story.NewMemoryWorld(set)
	var settled [][]byte
	runner := &story.Runner{World: world,
		Observe: func(e story.Event) {
			if _, ok := e.Step.Command.(story.Settle); !ok || !e.Done {
				return
			}
			items, err := world.List(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			data, err := yaml.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
			if err != nil {
				t.Fatal(err)
			}
			settled = append(settled, data)
		},
	}
	if err := runner.Run(context.Background(), s); err != nil {
		t.Error(err)
	}
	if len(settled) < 2 {
		t.Fatalf("the story settled %d times", len(settled))
	}
	golden.File(t, "../../systems/cluster-api/samples/prod.yaml", head+string(settled[1]))
}
