// SPDX-License-Identifier: Apache-2.0

package wiring_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCost prints what status and why cost with the conditions of this package and without them, in turns: two builds of the command, of
// which the other one has no conditions of this package, and no index of pods by their labels. Run it with TRISTATE_COST=1 and -v.
func TestCost(t *testing.T) {
	if os.Getenv("TRISTATE_COST") == "" {
		t.Skip("minutes, and only on a quiet machine: make cost in this folder")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	known, err := os.ReadFile("../relation/known.go")
	if err != nil {
		t.Fatal(err)
	}
	const index = "if o.GroupKind == podKind {"
	if strings.Count(string(known), index) != 1 {
		t.Fatal("the index of pods is elsewhere")
	}
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{
		root + "/internal/fleet/wiring/kubernetes.yaml": write("none.yaml", []byte("# no conditions\n")),
		root + "/internal/fleet/relation/known.go":      write("known.go", []byte(strings.Replace(string(known), index, "if false {", 1))),
	}})
	if err != nil {
		t.Fatal(err)
	}
	overlay := write("overlay.json", replaced)
	run := func(name string, args ...string) string {
		c := exec.Command(name, args...)
		c.Dir = root
		var errs strings.Builder
		c.Stderr = &errs
		if err := c.Run(); err != nil {
			t.Fatalf("%v: %v\n%s", c, err, &errs)
		}
		return strings.TrimSpace(errs.String())
	}
	with, without, costs := filepath.Join(folder, "with"), filepath.Join(folder, "without"), filepath.Join(folder, "costs")
	run("go", "build", "-o", with, "./cmd/tristate")
	run("go", "build", "-overlay", overlay, "-o", without, "./cmd/tristate")
	run("go", "build", "-o", costs, "tools/costs.go")
	broken := make([]edit, 0, len(edits))
	for _, e := range edits {
		if e.on == "" || strings.Contains(e.on, "web") {
			broken = append(broken, e)
		}
	}
	for _, c := range []struct {
		objects int
		edits   []edit
		args    []string
	}{{100_000, nil, []string{"status", "-A"}}, {10_000, broken, []string{"why", "-A", "-o", "brief"}}} {
		file, made := dump(t, filepath.Join(folder, fmt.Sprint(c.objects, ".json")), c.objects, c.edits)
		for range 3 {
			for _, binary := range []string{with, without} {
				t.Logf("%s of %d objects, %d of them edited, %s: %s", c.args[0], made, len(c.edits), filepath.Base(binary),
					run(costs, append(append([]string{binary}, c.args...), "-f", file)...))
			}
		}
	}
}

// dump writes shops into a file, of which each of the first is edited, until there are so many objects, and returns how many there are.
func dump(t *testing.T, path string, least int, edits []edit) (string, int) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	made, shared := 0, map[string]bool{}
	for i := 0; made < least; i++ {
		s := newShop()
		if i < len(edits) {
			edits[i].do(s, "web")
		}
		for _, key := range slices.Sorted(maps.Keys(s)) {
			if kind, _, _ := strings.Cut(key, "/"); kind == "Node" || kind == "StorageClass" || kind == "Lease" {
				if shared[key] {
					continue
				}
				shared[key] = true
			}
			data, err := json.Marshal(s[key])
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(out, "---\n%s\n", strings.NewReplacer("shop", fmt.Sprint("shop-", i), "pv-1", fmt.Sprint("pv-", i)).Replace(string(data)))
			made++
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	return path, made
}
