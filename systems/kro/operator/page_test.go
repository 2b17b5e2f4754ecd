// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/docs"
	"github.com/tristate/tristate/internal/declare/gen"
	"github.com/tristate/tristate/systems"
)

const page = "../README.md"

// onPage compares a region of the page with what it should be; with UPDATE=1 it writes it.
func onPage(t *testing.T, region, want string) {
	t.Helper()
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+region+":begin -->\n", "<!-- "+region+":end -->"
	before, rest, ok := strings.Cut(string(data), begin)
	have, after, found := strings.Cut(rest, end)
	if !ok || !found {
		t.Fatalf("%s has no region %s", page, region)
	}
	if have == want {
		return
	}
	if os.Getenv("UPDATE") == "" {
		t.Errorf("the region %s of %s is\n%s\nwant\n%s\nUPDATE=1 writes it", region, page, have, want)
		return
	}
	if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestPage: the page has the conditions of the catalog and the definition that the scenarios run.
func TestPage(t *testing.T) {
	data, err := os.ReadFile("testdata/database.yaml")
	if err != nil {
		t.Fatal(err)
	}
	onPage(t, "database", "```yaml\n"+string(data)+"```\n")
	set, err := catalog.LoadFS(systems.Catalogs, "kro/catalog.yaml")
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want, err := docs.Update(page, string(have), set.Kinds())
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if line, got, wants := docs.Difference(string(have), want); line != 0 {
		t.Errorf("%s:%d: %q, want %q; UPDATE=1 writes it", page, line, got, wants)
	}
}

// TestPage_tests: the tests that the page names exist.
func TestPage_tests(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var code []byte
	for _, pattern := range []string{"*_test.go", "internal/*/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			code = append(code, data...)
		}
	}
	names := regexp.MustCompile("`(Test\\w+)`").FindAllSubmatch(text, -1)
	if len(names) == 0 {
		t.Error("the page names no test")
	}
	for _, name := range names {
		if !bytes.Contains(code, append(append([]byte("\nfunc "), name[1]...), '(')) {
			t.Errorf("there is no %s", name[1])
		}
	}
}

// TestGenerated: the pass of definitions is that of the catalog.
func TestGenerated(t *testing.T) {
	set, err := catalog.LoadFS(systems.Catalogs, "kro/catalog.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range set.Kinds() {
		if k.For.Kind != "ResourceGraphDefinition" {
			continue
		}
		have, err := os.ReadFile("internal/definition/zz_generated.go")
		if err != nil {
			t.Fatal(err)
		}
		want, err := gen.Go(k, "definition", "catalog.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, want) {
			t.Error("internal/definition is not up to date: run go generate ./...")
		}
	}
}
