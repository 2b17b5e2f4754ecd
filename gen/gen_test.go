// SPDX-License-Identifier: Apache-2.0

package gen_test

import (
	"flag"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/gen"
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

// TestGolden holds the products of the example to its generated files, which package toolpolicy compiles and uses.
func TestGolden(t *testing.T) {
	kind := load(t, "../examples/toolpolicy/catalog.yaml").Kinds()[0]
	source, err := gen.Go(kind, "", "catalog.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for file, got := range map[string][]byte{
		"../examples/toolpolicy/zz_generated.go": source,
		"../examples/toolpolicy/zz_generated.ts": gen.TypeScript(kind, "catalog.yaml"),
		"../examples/toolpolicy/zz_generated.rs": gen.Rust(kind, "catalog.yaml"),
	} {
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

// TestShippedCatalogs: every catalog we ship gives Go that parses, the same each time.
func TestShippedCatalogs(t *testing.T) {
	for _, kind := range load(t, "../catalogs/cluster-api.yaml").Kinds() {
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
