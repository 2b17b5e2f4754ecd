// SPDX-License-Identifier: Apache-2.0

package gen_test

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/gen"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func load(t *testing.T, file string) *catalog.Set {
	t.Helper()
	set, err := catalog.LoadFS(os.DirFS(filepath.Dir(file)), filepath.Base(file))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestGolden holds what is generated in this repository to its catalogs. Other packages compile and use it.
func TestGolden(t *testing.T) {
	files := map[string][]byte{}
	product := func(catalog, dir string) {
		kinds := load(t, catalog).Kinds()
		for _, kind := range kinds {
			at := dir
			if len(kinds) > 1 {
				at = filepath.Join(dir, gen.PackageName(kind))
			}
			source, err := gen.Go(kind, "", filepath.Base(catalog))
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.Join(at, "zz_generated.go")] = source
		}
	}
	product("../../../examples/toolpolicy/catalog.yaml", "../../../examples/toolpolicy")
	product("../../../examples/migrate/catalog.yaml", "../../../examples/migrate")
	product("../../../proof/bench/thing/catalog.yaml", "../../../proof/bench/thing")
	kind := load(t, "../../../examples/toolpolicy/catalog.yaml").Kinds()[0]
	files["../../../examples/toolpolicy/zz_generated.rs"] = gen.Rust(kind, "catalog.yaml")
	for file, got := range files {
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s (rewrite with -update): -want +got\n%s", file, diff)
		}
	}
}

// TestRustFacts: Rust has the conditions that a fact sets, in the order of the types.
func TestRustFacts(t *testing.T) {
	kind := load(t, "testdata/everything.yaml").Kinds()[0]
	var want, got []string
	for _, f := range kind.Facts {
		for _, c := range f.Cells {
			want = append(want, fmt.Sprintf("%s %s %s", c.Type, c.Status, c.Reason))
		}
	}
	source := string(gen.Rust(kind, "x.yaml"))
	_, facts, found := strings.Cut(source, "pub mod facts")
	if !found {
		t.Fatalf("there are no facts:\n%s", source)
	}
	for _, m := range regexp.MustCompile(`\("(.*)", "(.*)", "(.*)"\),`).FindAllStringSubmatch(facts, -1) {
		got = append(got, strings.Join(m[1:], " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestShippedCatalogs: every catalog we ship gives Go that parses, the same each time.
func TestShippedCatalogs(t *testing.T) {
	for _, kind := range load(t, "../../../systems/cluster-api/catalog.yaml").Kinds() {
		first, err := gen.Go(kind, "", "x.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), kind.For.Kind, first, parser.SkipObjectResolution); err != nil {
			t.Errorf("%s: %v", kind.For, err)
		}
		if second, _ := gen.Go(kind, "", "x.yaml"); string(first) != string(second) {
			t.Errorf("%s: two runs differ", kind.For)
		}
	}
}
