// SPDX-License-Identifier: Apache-2.0

package columns

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/internal/export"
)

// The forms of the product.
const (
	Patch   = "patch"   // JSON patches, for kubectl patch --type json and kustomize
	Markers = "markers" // comments of controller-gen
)

// column is one printer column.
type column struct {
	Name     string `yaml:"name"`
	Type     string `yaml:"type"`
	JSONPath string `yaml:"jsonPath"`
	Priority int    `yaml:"priority,omitempty"`
	Text     string `yaml:"description,omitempty"`
}

// operation is one operation of a JSON patch.
type operation struct {
	Op    string `yaml:"op"`
	Path  string `yaml:"path"`
	Value any    `yaml:"value"`
}

// Options are the choices of a user.
type Options struct {
	Form     string
	Versions []string // of the definition, in order, where it is not the order of the catalog
	// Definitions are the decoded definitions that are patched, if the author's columns and schema are known: patches add to them. A patch for
	// another definition tests that it has neither.
	Definitions []map[string]any
}

// Generate returns the columns of kinds in a form.
func Generate(subjects []*export.Subject, o Options) (*export.Product, error) {
	form := o.Form
	if form != Patch && form != Markers {
		return nil, fmt.Errorf("form %q: use %s or %s", form, Patch, Markers)
	}
	p := &export.Product{}
	for _, s := range subjects {
		resource, sure := s.Resource()
		name := resource + "." + s.For.Group
		if !sure {
			p.Notes = append(p.Notes, fmt.Sprintf("the definition of %s is expected to be %s, which is a guess", s.Name(), name))
		}
		have := versionsOf(o.Definitions, s)
		versions := o.Versions
		for _, v := range have {
			if len(o.Versions) == 0 {
				name, _ := v["name"].(string)
				versions = append(versions, name)
			}
		}
		known, err := s.AllVersions(versions)
		for _, k := range s.Kinds {
			list := columnsOf(s, k, p)
			if len(list) == 0 {
				continue
			}
			if err != nil && form == Patch {
				return nil, err
			}
			p.Include(s)
			if form == Markers {
				p.Files = append(p.Files, export.File{Name: strings.ToLower(s.For.Kind) + "_markers.go.txt", Data: markers(s, k, list)})
				break
			}
			for i, version := range known {
				if !k.Holds(version) {
					continue
				}
				var author map[string]any
				if i < len(have) && have[i]["name"] == version {
					author = have[i]
				}
				patches, err := patches(k, list, i, version, author)
				if err != nil {
					return nil, err
				}
				for what, data := range patches {
					p.Files = append(p.Files, export.File{Name: name + "-" + version + "-" + what + ".yaml", Data: data})
				}
			}
			p.Notes = append(p.Notes, fmt.Sprintf("kubectl patch crd %s --type json --patch-file %s-%s-columns.yaml; a definition that is applied "+
				"again needs the patch in its kustomization", name, name, known[0]))
			if have == nil {
				p.Notes = append(p.Notes, fmt.Sprintf("the patches are refused if %s has columns or a schema of its conditions: then name it with "+
					"--definition, and they are kept", name))
			}
		}
	}
	slices.SortFunc(p.Files, func(a, b export.File) int { return strings.Compare(a.Name, b.Name) })
	return p, nil
}

// columnsOf returns the columns: the summary with its reason, in the wide output also its message, the other conditions, and the age.
func columnsOf(s *export.Subject, k *catalog.Kind, p *export.Product) []column {
	switch {
	case k.AtRead:
		p.Differ(s, "read-only", "", "the conditions are computed when an object is read, and no column can show them")
		return nil
	case strings.Contains(k.At.String(), "[*]"):
		p.Differ(s, "nested-list", "", "a column shows the first match of a path, not one for each element")
		return nil
	case len(k.Declaration.Types) == 0:
		p.Differ(s, "verdict-rules", "", "no conditions are declared")
		return nil
	}
	path := func(t *conditions.Type, field string) string {
		return "." + k.At.String() + `[?(@.type=="` + t.Name + `")].` + field
	}
	var list []column
	add := func(t *conditions.Type, wide int) {
		list = append(list, column{Name: t.Name, Type: "string", JSONPath: path(t, "status"), Priority: wide, Text: t.Meaning})
	}
	summary := k.Type(k.Summary())
	if summary != nil {
		add(summary, 0)
		list = append(list, column{Name: "Reason", Type: "string", JSONPath: path(summary, "reason")})
	}
	for i := range k.Declaration.Types {
		if t := &k.Declaration.Types[i]; summary == nil {
			add(t, 0)
		} else if t.Name != summary.Name {
			add(t, 1)
		}
	}
	if summary != nil {
		list = append(list, column{Name: "Message", Type: "string", JSONPath: path(summary, "message"), Priority: 1})
	}
	return append(list, column{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"})
}

// versionsOf returns the versions of the definition of a kind; nil if it is not known.
func versionsOf(definitions []map[string]any, s *export.Subject) []map[string]any {
	for _, d := range definitions {
		if nested.Text(d, "spec", "group") == s.For.Group && nested.Text(d, "spec", "names", "kind") == s.For.Kind {
			return nested.Maps(d, "spec", "versions")
		}
	}
	return nil
}

// patches returns a patch of the columns and a patch of the schema of a version. author is the version as it is; nil if it is not known. A
// patch tests first that the version has the value which it replaces, so it is refused as a whole if anything of the author would be lost.
func patches(k *catalog.Kind, list []column, at int, version string, author map[string]any) (map[string][]byte, error) {
	place := "/spec/versions/" + strconv.Itoa(at)
	out := map[string][]byte{}
	schemaAt := "/schema/openAPIV3Schema/properties/" + strings.Join(k.Path, "/properties/")
	before := map[string]any{"columns": nil, "schema": nil}
	if columns := author["additionalPrinterColumns"]; columns != nil {
		before["columns"] = columns
	}
	before["schema"] = nested.At(author, strings.Split(strings.TrimPrefix(schemaAt, "/"), "/")...)
	var err error
	for what, add := range map[string]struct {
		path  string
		value any
	}{
		"columns": {place + "/additionalPrinterColumns", join(before["columns"], list)},
		"schema":  {place + schemaAt, complete(before["schema"], schema(k))},
	} {
		operations := []operation{{"test", place + "/name", version}, {"test", add.path, before[what]}, {"add", add.path, add.value}}
		if out[what], err = export.Ordered("columns", operations); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// join appends the columns to the author's, except columns with a name or a field that the author's have already.
func join(author any, list []column) any {
	have, _ := author.([]any)
	if len(have) == 0 {
		return list
	}
	out := slices.Clone(have)
	for _, c := range list {
		if !slices.ContainsFunc(have, func(a any) bool {
			m, _ := a.(map[string]any)
			name, _ := m["name"].(string)
			return strings.EqualFold(name, c.Name) || m["jsonPath"] == c.JSONPath
		}) {
			out = append(out, c)
		}
	}
	return out
}

// complete adds to a schema of the author what it lacks: its own members stay as they are.
func complete(author any, ours map[string]any) any {
	have, ok := author.(map[string]any)
	if !ok {
		return ours
	}
	out := maps.Clone(have)
	for key, value := range ours {
		switch more, is := value.(map[string]any); {
		case out[key] == nil:
			out[key] = value
		case is:
			out[key] = complete(out[key], more)
		}
	}
	return out
}

// schema returns the schema of the list: a map by type, whose entries have what the dialect asks for.
func schema(k *catalog.Kind) map[string]any {
	text := func(most int, pattern string) map[string]any {
		out := map[string]any{"type": "string", "maxLength": most}
		if pattern != "" {
			out["pattern"] = pattern
		}
		return out
	}
	properties := map[string]any{
		"type": text(316,
			`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`),
		"status":             map[string]any{"type": "string", "enum": []string{"True", "False", "Unknown"}},
		"reason":             text(1024, `^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`),
		"message":            text(32768, ""),
		"lastTransitionTime": map[string]any{"type": "string", "format": "date-time"},
		"observedGeneration": map[string]any{"type": "integer", "format": "int64", "minimum": 0},
	}
	required := []string{"type", "status", "lastTransitionTime", "reason", "message"}
	if k.Dialect == conditions.DialectCAPIv1beta1 || k.Dialect == conditions.DialectKnative { // both leave reason and message out
		properties["reason"] = text(1024, "")
		properties["severity"] = text(32, "")
		delete(properties, "observedGeneration")
		required = []string{"type", "status"}
	}
	return map[string]any{"type": "array", "maxItems": 64, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []string{"type"},
		"items": map[string]any{"type": "object", "required": required, "properties": properties}}
}

// markers returns the comments above the type of the kind.
func markers(s *export.Subject, k *catalog.Kind, list []column) []byte {
	b := bytes.NewBufferString(export.Header("//", "columns"))
	fmt.Fprintf(b, "// Above the type %s:\n", s.For.Kind)
	for _, c := range list {
		fmt.Fprintf(b, "// +kubebuilder:printcolumn:name=%q,type=%s,JSONPath=`%s`", c.Name, c.Type, c.JSONPath)
		if c.Priority > 0 {
			fmt.Fprintf(b, ",priority=%d", c.Priority)
		}
		if c.Text != "" {
			fmt.Fprintf(b, ",description=%q", c.Text)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "// Above the field %s:\n// +listType=map\n// +listMapKey=type\n// +kubebuilder:validation:MaxItems=64\n", k.At)
	return b.Bytes()
}
