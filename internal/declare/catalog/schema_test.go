// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"
)

func compiledSchema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	var schema jsonschema.Schema
	if err := json.Unmarshal(SchemaJSON, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// valid reports whether a document satisfies the schema. It is not asked about what a tree of JSON does not show: syntax,
// repeated keys, keys that are no strings.
func valid(t *testing.T, schema *jsonschema.Resolved, document []byte) (ok, asked bool) {
	t.Helper()
	var tree, instance any
	if err := yaml.Unmarshal(document, &tree); err != nil || tree == nil {
		return false, false
	}
	data, err := json.Marshal(tree)
	if err != nil {
		return false, false
	}
	if err := json.Unmarshal(data, &instance); err != nil {
		t.Fatal(err)
	}
	return schema.Validate(instance) == nil, true
}

// The schema for editors says the same as Parse, for each document of testdata/bad and of the catalogs we ship.
func TestSchemaAgreesWithParse(t *testing.T) {
	schema := compiledSchema(t)
	files := map[string][]byte{"document": []byte(document)}
	archives, err := filepath.Glob("testdata/bad/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if f.Name != "want" {
				files[filepath.Base(name)+"/"+f.Name] = f.Data
			}
		}
	}
	shipped, err := filepath.Glob("../../../catalogs/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range shipped {
		if files[name], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	accepted, refused := 0, 0
	for name, data := range files {
		for _, part := range newText(name, data).documents() {
			got, asked := valid(t, schema, part.data)
			if !asked {
				continue
			}
			_, err := Parse(name, part.data)
			if want := err == nil; want != got {
				t.Errorf("%s: the schema accepts it: %t; Parse: %v", part.position(0), got, err)
			}
			if got {
				accepted++
			} else {
				refused++
			}
		}
	}
	if accepted < 20 || refused < 10 {
		t.Errorf("%d documents accepted and %d refused: too few to tell", accepted, refused)
	}
}

// FuzzSchema: what Parse accepts the schema accepts. The reverse holds of most, but a date is a string to the schema.
func FuzzSchema(f *testing.F) {
	f.Add([]byte(document))
	f.Add([]byte(strings.Replace(document, "    meaning: It works.",
		"    meaning: It works.\n    reasons: [{reason: A, status: Unknown, hold: 1h2.5m.3s, retry: +0}]", 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		sources, err := Parse("f", data)
		var errs Errors
		if errors.As(err, &errs) || len(sources) != 1 {
			return
		}
		if ok, asked := valid(t, compiledSchema(t), data); asked && !ok {
			t.Errorf("Parse accepts and the schema refuses:\n%s", data)
		}
	})
}
