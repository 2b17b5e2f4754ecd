// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"
	"github.com/tristate/tristate/internal/export"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// checkInstalled compares what the products hold with what is in a cluster, and reports each object that is not installed or differs. An
// object is as generated if it has every generated field: the server adds defaults, and a ConfigMap may have other keys. A patch is
// compared with the version of the definition that it is for. Files that are no objects of a cluster are listed as such.
func (m *manifest) checkInstalled(c *cobra.Command, a *app.App, connection *flags.Connection) error {
	files, err := m.contents(c, a)
	if err != nil {
		return err
	}
	connection.Data = true // of ConfigMaps
	server, err := connection.Connect(c.Context(), a)
	if err != nil {
		return err
	}
	drift := 0
	var failed []*cluster.Error
	report := func(name, difference string) {
		if difference != "" {
			drift++
		} else {
			difference = "as generated"
		}
		fmt.Fprintf(a.Out, "%s: %s\n", name, difference)
	}
	find := func(kind schema.GroupVersionKind, name string) (content map[string]any, known bool) {
		word := kind.Kind
		if kind.Version != "" {
			word += "." + kind.Version + "." + kind.Group
		}
		errs := server.Named(c.Context(), []cluster.Query{{Type: word, Name: name}}, func(o *relation.Object) { content = o.Content })
		for _, err := range errs {
			if r := err.Reason(); r != cluster.NotFound && r != cluster.NotServed {
				failed = append(failed, err)
				return nil, false
			}
		}
		return content, true
	}
	for _, f := range files {
		if target, is := export.PatchOf(f.Data); is {
			var want map[string]any
			if err := yaml.Unmarshal(f.Data, &want); err != nil {
				return err
			}
			if have, known := find(schema.GroupVersionKind{Kind: target.Type}, target.Name); known {
				report(target.Type+"/"+target.Name, differs(want, have, ""))
			}
			continue
		}
		documents, ok := read(f.Data)
		if !ok {
			fmt.Fprintf(a.Out, "%s: no object of a cluster\n", f.Name)
			continue
		}
		for _, document := range documents {
			if p, ok := document.([]any); ok {
				version, _ := member(p, 0, "value").(string)
				name, _, _ := strings.Cut(filepath.Base(f.Name), "-"+version+"-")
				have, known := find(definition, name)
				for i := 1; known && i < len(p); i++ {
					if member(p, i, "op") == "test" {
						continue
					}
					place, _ := member(p, i, "path").(string)
					report("CustomResourceDefinition/"+name+" "+version, inVersion(have, version, place, member(p, i, "value")))
				}
				continue
			}
			object := relation.FromContent(document.(map[string]any))
			have, known := find(schema.FromAPIVersionAndKind(object.APIVersion, object.Kind), object.Name)
			switch {
			case !known:
			case have == nil:
				report(object.Kind+"/"+object.Name, "not installed")
			default:
				report(object.Kind+"/"+object.Name, differs(document, have, ""))
			}
		}
	}
	for _, err := range failed {
		a.Reportf("%s", err)
	}
	code := exit.OfAll(failed)
	if drift > 0 {
		return exit.With(exit.Worst(code, exit.Findings), errors.New("the cluster does not have what the catalogs say: install the generated "+
			"files again"))
	}
	if code != exit.OK {
		return exit.With(code, nil)
	}
	return nil
}

var definition = schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}

// read returns the objects and JSON patches of a YAML file; false where it holds something else.
func read(data []byte) ([]any, bool) {
	var out []any
	d := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		var one any
		if err := d.Decode(&one); errors.Is(err, io.EOF) {
			return out, len(out) > 0
		} else if err != nil {
			return nil, false
		}
		switch v := one.(type) {
		case nil:
			continue
		case []any:
			if _, is := member(v, 0, "op").(string); !is {
				return nil, false
			}
		case map[string]any:
			if o := relation.FromContent(v); o.APIVersion == "" || o.Name == "" {
				return nil, false
			}
		default:
			return nil, false
		}
		out = append(out, one)
	}
}

// member returns a field of an element of a list.
func member(list []any, i int, name string) any {
	if i >= len(list) {
		return nil
	}
	m, _ := list[i].(map[string]any)
	return m[name]
}

// inVersion compares the value of an operation with its place in a version of a definition, wherever that version is in the list.
func inVersion(definition map[string]any, version, place string, want any) string {
	if definition == nil {
		return "not installed"
	}
	spec, _ := definition["spec"].(map[string]any)
	versions, _ := spec["versions"].([]any)
	for i := range versions {
		if member(versions, i, "name") != version {
			continue
		}
		steps := strings.Split(strings.TrimPrefix(place, "/spec/versions/"), "/")[1:]
		have := versions[i]
		for _, step := range steps {
			m, _ := have.(map[string]any)
			if have = m[step]; have == nil {
				return strings.Join(steps, ".") + " is missing"
			}
		}
		return differs(want, have, strings.Join(steps, "."))
	}
	return "version " + version + " is missing"
}

// differs returns the first place at which an installed value lacks something of a generated one; empty if it has everything.
func differs(want, have any, at string) string {
	place := strings.TrimPrefix(at, ".")
	switch w := want.(type) {
	case map[string]any:
		h, ok := have.(map[string]any)
		if !ok {
			return place + " is missing"
		}
		for _, key := range slices.Sorted(maps.Keys(w)) {
			if text := differs(w[key], h[key], at+"."+key); text != "" {
				return text
			}
		}
	case []any:
		h, ok := have.([]any)
		if !ok {
			return place + " is missing"
		}
		if len(h) != len(w) {
			return fmt.Sprintf("%s has %d entries, not %d", place, len(h), len(w))
		}
		for i := range w {
			if text := differs(w[i], h[i], fmt.Sprintf("%s[%d]", at, i)); text != "" {
				return text
			}
		}
	default:
		if have == nil && want != nil {
			return place + " is missing"
		}
		if fmt.Sprint(want) != fmt.Sprint(have) {
			return place + " differs"
		}
	}
	return ""
}
