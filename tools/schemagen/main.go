// SPDX-License-Identifier: Apache-2.0

// Command schemagen writes the JSON Schema and the CustomResourceDefinition of catalogs from the structs of the model, their
// tags and their doc comments. Run it with go generate ./internal/declare/catalog.
//
//	schemagen -model model.go -schema schema.json -crd crd.yaml
//
// It reads the source and does not import the package, which embeds the generated files. The tags are those by which package
// catalog decodes: required, enum, minimum, minLength and format; a field or struct without a comment is an error, because
// its comment is shown by editors.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	model := flag.String("model", "model.go", "the Go file to read")
	schema := flag.String("schema", "schema.json", "the JSON Schema to write")
	crd := flag.String("crd", "crd.yaml", "the CustomResourceDefinition to write")
	flag.Parse()
	if err := run(*model, *schema, *crd); err != nil {
		fmt.Fprintln(os.Stderr, "schemagen:", err)
		os.Exit(1)
	}
}

func run(model, schema, crd string) error {
	source, err := os.ReadFile(model)
	if err != nil {
		return err
	}
	m, err := read(model, source)
	if err != nil {
		return err
	}
	for name, generate := range map[string]func(*structs) ([]byte, error){schema: jsonSchema, crd: definition} {
		data, err := generate(m)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
