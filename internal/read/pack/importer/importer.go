// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Issue is something that could not be imported.
type Issue struct {
	// Where is the file, the document and the field.
	Where, Message string
}

// String returns "where: message".
func (i Issue) String() string { return i.Where + ": " + i.Message }

// A Tool is one whose rules can be imported.
type Tool struct {
	// Name is the name of the tool, Reads the part of a file that is read.
	Name, Reads string
	read        func(*reader, map[string]any)
}

// All are the tools.
var All = []Tool{
	{Name: "flux", Reads: "spec.healthCheckExprs of Kustomizations (kustomize.toolkit.fluxcd.io)", read: (*reader).kustomization},
	{Name: "kapp", Reads: "waitRules of Configs (kapp.k14s.io)", read: (*reader).config},
}

// Import reads the rules of a file: YAML documents or JSON, lists of objects too. Documents of other kinds are skipped. The catalogs are in
// the order of groups and kinds; the issues are in the order of the file. It is an error if the file cannot be read.
func (t Tool) Import(file string, data []byte) ([]catalog.Document, []Issue, error) {
	r := &reader{seen: map[string]bool{}}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for n := 1; ; n++ {
		var document map[string]any
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, nil, fmt.Errorf("%s: document %d: %w", file, n, err)
		}
		r.at = fmt.Sprintf("%s: document %d", file, n)
		items, isList := document["items"].([]any)
		if !isList {
			t.read(r, document)
		}
		for i, item := range items {
			r.at = fmt.Sprintf("%s: document %d: items[%d]", file, n, i)
			if object, ok := item.(map[string]any); ok {
				t.read(r, object)
			}
		}
	}
	slices.SortStableFunc(r.out, func(a, b catalog.Document) int {
		return cmp.Or(cmp.Compare(a.Spec.For.Group, b.Spec.For.Group), cmp.Compare(a.Spec.For.Kind, b.Spec.For.Kind))
	})
	return r.out, r.issues, nil
}

// reader collects the imported catalogs.
type reader struct {
	at     string // the document that is read
	out    []catalog.Document
	issues []Issue
	seen   map[string]bool // kinds with rules
}

func (r *reader) fail(path, format string, args ...any) {
	r.issues = append(r.issues, Issue{r.at + ": " + path, fmt.Sprintf(format, args...)})
}

// into decodes a part of a document.
func (r *reader) into(path string, from, to any) bool {
	raw, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(raw, to)
	}
	if err != nil {
		r.fail(path, "%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return err == nil
}

// add makes a catalog of the rules of a kind; an object to which no rule applies is InProgress.
func (r *reader) add(path string, kind catalog.For, verdicts []catalog.Verdict) {
	if r.seen[describe(kind)] {
		r.fail(path, "there are rules for %s already", describe(kind))
		return
	}
	verdicts = append(slices.Clone(verdicts), catalog.Verdict{Verdict: "InProgress", Reason: "NotDone"})
	document := catalog.Document{APIVersion: catalog.APIVersion, Kind: catalog.DocumentKind,
		Metadata: catalog.Metadata{Name: strings.ToLower(describe(kind))}, Spec: catalog.Spec{For: kind, Verdicts: verdicts}}
	if err := check(&document); err != nil {
		r.fail(path, "%v", err)
		return
	}
	r.seen[describe(kind)] = true
	r.out = append(r.out, document)
}

// check returns the errors of the loader about a document.
func check(d *catalog.Document) error {
	written, err := d.YAML()
	if err != nil {
		return err
	}
	if _, err := catalog.Load(map[string][]byte{"": written}); err != nil {
		var all catalog.Errors
		if errors.As(err, &all) {
			messages := make([]string, len(all))
			for i, e := range all {
				messages[i] = e.Path + ": " + e.Message
			}
			return errors.New(strings.Join(messages, "; "))
		}
		return err
	}
	return nil
}

// describe is the group behind the kind; of any kind of a group the group alone.
func describe(f catalog.For) string {
	if f.Kind == catalog.AnyKind {
		return f.Group
	}
	return strings.TrimSuffix(f.Kind+"."+f.Group, ".")
}
