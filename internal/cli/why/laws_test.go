// SPDX-License-Identifier: Apache-2.0

package why_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/view"
	"github.com/tristate/tristate/internal/cli/why"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// dumps are the folders beside the repository with objects of real systems: those of a file are together, those of a corpus by folder.
var dumps = []string{"../../../../shared/cases", "../../../../shared/corpus", "../../../../shared/packs", "../../../../shared/witness"}

// TestLaws holds the causes of every dump to what holds for any.
//
//   - Nothing is dropped: what is broken or overdue is a cause, or a cause explains it; a failed pod of a Job that tries again is neither.
//   - why OBJECT answers out of the causes of why -A: its first cause is one of those that explain the object there.
//   - A fault is explained once: no cause explains its own objects.
func TestLaws(t *testing.T) {
	folder := t.TempDir()
	unpack(t, "a", folder)
	hold(t, folder, false)
	folder = t.TempDir()
	unpack(t, "b", folder)
	hold(t, folder, true)
	for _, folder := range dumps {
		if _, err := os.Stat(folder); err != nil {
			t.Logf("%s is not at hand: not looked at", folder)
			continue
		}
		hold(t, folder, false)
	}
}

// hold holds the dumps in a folder to the laws. Of sealed ones it reports numbers only.
func hold(t *testing.T, folder string, sealed bool) {
	t.Helper()
	objects, broken := 0, 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) ||
			strings.HasPrefix(d.Name(), "index") {
			return err
		}
		checked, failed := lawful(t, path)
		objects += checked
		if broken += len(failed); !sealed {
			for _, f := range failed {
				t.Errorf("%s: %s", strings.TrimPrefix(path, folder), f)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("%s: %d objects", filepath.Base(folder), objects); sealed && broken > 0 {
		t.Errorf("%d laws are broken in sealed dumps", broken)
	}
}

// lawful returns how many objects of a dump need an explanation, and what of the laws does not hold for them.
func lawful(t *testing.T, path string) (objects int, failed []string) {
	t.Helper()
	a := &app.App{In: &bytes.Buffer{}, Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, Env: func(string) string { return "" }, Now: time.Now}
	v := view.New(a, view.Options{Below: true, Files: []string{path}})
	roots, err := why.Read(t.Context(), v, nil)
	if err != nil {
		return 0, nil // of a file without objects
	}
	all := v.Walk.Ranked(roots)
	of := map[relation.ID][]int{}
	for i, r := range all {
		for _, n := range r.Nodes {
			of[n.ID] = append(of[n.ID], i)
		}
		for _, id := range r.Explains {
			if slices.ContainsFunc(r.Nodes, func(n *relation.Node) bool { return n.ID == id }) {
				failed = append(failed, id.String()+" explains itself")
			}
			of[id] = append(of[id], i)
		}
	}
	for _, id := range v.Walk.Graph.IDs(schema.GroupKind{}) {
		root := v.Walk.Build(id)
		j := root.Judgement
		if !j.Overdue && !j.Verdict.Broken() {
			continue
		}
		objects++
		first := relation.Of(root, all)[0]
		switch i := slices.IndexFunc(all, func(r relation.Ranked) bool {
			return slices.ContainsFunc(r.Nodes, func(n *relation.Node) bool { return n.ID == first.Node.ID })
		}); {
		case len(of[id]) == 0 && !tried(v.Walk, root):
			failed = append(failed, id.String()+" is dropped: "+string(j.Verdict)+" "+j.Reason)
		case len(of[id]) > 0 && !slices.Contains(of[id], i):
			failed = append(failed, id.String()+": why OBJECT names "+first.Node.ID.String()+", and why -A does not")
		}
	}
	return objects, failed
}

// tried reports whether an object is a failed pod of a Job in which nothing is broken.
func tried(v *relation.View, n *relation.Node) bool {
	owners := v.Graph.Owners(n.Object)
	return n.Kind == "Pod" && n.Judgement.Verdict.Broken() && len(owners) == 1 && owners[0].Kind == "Job" &&
		!v.Build(owners[0].ID).Judgement.Verdict.Broken()
}
