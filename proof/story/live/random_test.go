// SPDX-License-Identifier: Apache-2.0

package live_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story"
	"github.com/tristate/tristate/proof/story/live"
	"github.com/tristate/tristate/systems"
	"golang.org/x/tools/txtar"
)

// TestRandomReports writes random declared leaves to a provisioned cluster, some removed, several between two settlings, and
// finds the real API server in step with the memory world.
func TestRandomReports(t *testing.T) {
	config := server(t)
	set := shipped(t)
	tristate, counter := startController(t, config, set)
	data, err := fs.ReadFile(systems.Stories, "cluster-api/ssh-key-missing.txtar")
	must(t, err)
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s, err := story.Parse("random.txtar", randomReports(t, set, data, rand.New(rand.NewPCG(seed, 1))))
			must(t, err)
			ctx := patient(t)
			namespace := plane.Namespace(t, config)
			w, err := live.New(ctx, live.Options{Config: plane.OfTest(config), Catalogs: set, Namespace: namespace, Controller: tristate,
				Writes: func() int { return counter.Writes(namespace) }})
			must(t, err)
			both := twin{w, story.NewMemoryWorld(set), t}
			if err := (&story.Runner{World: both}).Run(ctx, s); err != nil {
				t.Errorf("\n%v", err)
			}
			settledOnceMore(ctx, t, w)
			if t.Failed() {
				t.Logf("%s", s.Format())
			}
		})
	}
}

// randomReports returns a story with the objects of another one and random reports.
func randomReports(t *testing.T, set *catalog.Set, data []byte, r *rand.Rand) []byte {
	t.Helper()
	archive := txtar.Parse(data)
	var script strings.Builder
	for line := range strings.SplitSeq(string(archive.Comment), "\n") {
		if strings.HasPrefix(line, "apply ") {
			fmt.Fprintln(&script, line)
		}
	}
	archive.Comment = []byte(script.String())
	s, err := story.Parse("objects.txtar", txtar.Format(archive))
	must(t, err)
	w := story.NewMemoryWorld(set)
	must(t, (&story.Runner{World: w}).Run(t.Context(), s))
	var leaves []func() string
	for _, o := range w.Graph().All() {
		leaves = append(leaves, leavesOf(set.Kind(o.GroupKind), o, r)...)
	}
	for range 8 {
		for range 1 + r.IntN(20) {
			fmt.Fprintln(&script, leaves[r.IntN(len(leaves))]())
		}
		script.WriteString("settle\nquiet\n")
	}
	archive.Comment = []byte(script.String())
	return txtar.Format(archive)
}

// leavesOf returns what draws a report, for each leaf of an object.
func leavesOf(k *catalog.Kind, o *relation.Object, r *rand.Rand) []func() string {
	var out []func() string
	for i := range k.Declaration.Types {
		leaf := &k.Declaration.Types[i]
		if k.Derives(leaf.Name) {
			continue
		}
		out = append(out, func() string {
			reason := leaf.Reasons[r.IntN(len(leaf.Reasons))]
			if r.IntN(5) == 0 {
				return fmt.Sprintf("report %s/%s -%s", o.Kind, o.Name, leaf.Name)
			}
			return fmt.Sprintf("report %s/%s %s=%s %s %q", o.Kind, o.Name, leaf.Name, reason.Status, reason.Name, fmt.Sprint("message ", r.IntN(3)))
		})
	}
	return out
}
