// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFresh: the committed files are those that the generator writes.
func TestFresh(t *testing.T) {
	in, out := filepath.Join("..", "..", "internal", "declare", "catalog"), t.TempDir()
	schema, crd := filepath.Join(out, "schema.json"), filepath.Join(out, "crd.yaml")
	if err := run(filepath.Join(in, "model.go"), schema, crd); err != nil {
		t.Fatal(err)
	}
	for _, made := range []string{schema, crd} {
		want, err := os.ReadFile(made)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(made)
		got, err := os.ReadFile(filepath.Join(in, name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("internal/declare/catalog/%s is not up to date; run go generate ./internal/declare/catalog (-generated +committed):\n%s", name,
				diff)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	const document = "// D.\ntype Document struct {\n// F.\nF F `json:\"f\"`\n}\n"
	tests := map[string]struct{ in, want string }{
		"no document": {"// A.\ntype A struct{}\n", "no struct Document"},
		"no comment":  {document + "type F struct {\nA string `json:\"a\"`\n}\n", "m.go:8:6: F has no comment\nF.a has no comment"},
		"no tag":      {document + "// F.\ntype F struct {\n// A.\nA string\n}\n", "m.go:11:1: F: want fields of one name with a tag"},
		"no name": {document + "// F.\ntype F struct {\n// A.\nA string `json:\",omitempty\"`\n}\n",
			"m.go:11:1: F: A has no name in its json tag"},
		"unknown type": {document + "// F.\ntype F struct {\n// A.\nA []*float64 `json:\"a\"`\n}\n", "F.a: unknown type float64"},
		"unsupported type": {document + "// F.\ntype F struct {\n// A.\nA func() `json:\"a\"`\n}\n",
			"m.go:11:1: F: type *ast.FuncType is not supported"},
		"no struct": {document + "// F.\ntype F string\n", "m.go:9:6: F is no struct\nDocument.f: unknown type F"},
		"not Go":    {"type", "m.go:3:5: expected 'IDENT', found 'EOF'"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := read("m.go", []byte("package m\n\n"+test.in))
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}
