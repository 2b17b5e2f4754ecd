// SPDX-License-Identifier: Apache-2.0

package live_test

import (
	"io/fs"
	"testing"

	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story"
	"github.com/tristate/tristate/proof/story/live"
	"github.com/tristate/tristate/systems"
)

// TestOtherProcess runs a story without any help of the controller, as beside a Tristate in another process: the changes that the world
// counts on its watches are the requests of the controller.
func TestOtherProcess(t *testing.T) {
	config := server(t)
	set := shipped(t)
	_, counter := startController(t, config, set)
	data, err := fs.ReadFile(systems.Stories, "cluster-api/ssh-key-missing.txtar")
	must(t, err)
	s, err := story.Parse("ssh-key-missing.txtar", data)
	must(t, err)
	ctx := patient(t)
	namespace := plane.Namespace(t, config)
	w, err := live.New(ctx, live.Options{Config: plane.OfTest(config), Catalogs: set, Namespace: namespace})
	must(t, err)
	if err := (&story.Runner{World: w}).Run(ctx, s); err != nil {
		t.Fatalf("\n%v", err)
	}
	settledOnceMore(ctx, t, w)
	if seen, sent := w.Writes(), counter.Writes(namespace); seen != sent || sent == 0 {
		t.Errorf("the watches saw %d writes, the controller sent %d", seen, sent)
	}
}
