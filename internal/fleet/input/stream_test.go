// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// inPieces reads a file that arrives in pieces.
func inPieces(data []byte, pieces func(io.Reader) io.Reader) ([]Object, []*Error) {
	var objects []Object
	errs := run(Reader{}, func(o Object) { objects = append(objects, o) }, func(s *splitter) {
		s.file("f", pieces(bytes.NewReader(data)), false)
	})
	return objects, errs
}

// wholly returns the items of a document that is a list, decoded at once by other libraries; false if it is none, or not one document.
func wholly(data []byte) ([]any, bool) {
	if bytes.Contains(data, []byte("---")) || bytes.Contains(data, []byte("...")) {
		return nil, false
	}
	inJSON, err := yaml.YAMLToJSONStrict(data)
	if err != nil {
		return nil, false
	}
	var list struct {
		Kind     string `json:"kind"`
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Items []any `json:"items"`
	}
	if strict, err := kjson.UnmarshalStrict(inJSON, &list, kjson.DisallowDuplicateFields); err != nil || len(strict) > 0 ||
		list.Kind != "List" || list.Metadata.Name != "" {
		return nil, false
	}
	for _, item := range list.Items {
		content, _ := item.(map[string]any)
		metadata, _ := content["metadata"].(map[string]any)
		if text(content, "apiVersion") == "" || text(content, "kind") == "" || strings.HasSuffix(text(content, "kind"), "List") ||
			text(metadata, "name") == "" {
			return nil, false
		}
	}
	return list.Items, true
}

// contents returns the contents of objects.
func contents(objects []Object) []any {
	out := []any{}
	for _, o := range objects {
		out = append(out, o.Content)
	}
	return out
}

// TestSplit: items of YAML lists that are hard to split are those of the whole document.
func TestSplit(t *testing.T) {
	tests := map[string]string{
		"dash in quotes":         "items:\n- {apiVersion: v1, kind: A, metadata: {name: a}}\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: \"b\n- c\"\n- {apiVersion: v1, kind: A, metadata: {name: d}}\nkind: List\n",
		"key in quotes":          "items:\n- apiVersion: v1\n  kind: A\n  metadata: {name: b}\n  spec: \"x\nkind: B\n- y\"\nkind: List\n",
		"dash in brackets":       "items:\n- {apiVersion: v1, kind: A, metadata: {name: a},\nspec: [1,\n-1,\n2]}\n- {apiVersion: v1, kind: A, metadata: {name: d}}\nkind: List\n",
		"dash in a block":        "items:\n- apiVersion: v1\n  kind: A\n  metadata: {name: a}\n  spec: |\n   - x\n\n   # y\n   - z\n- {apiVersion: v1, kind: A, metadata: {name: d}}\nkind: List\n",
		"anchors":                "items:\n- apiVersion: v1\n  kind: A\n  metadata: &m {name: a}\n- {apiVersion: v1, kind: B, metadata: {name: b}}\n- {apiVersion: v1, kind: C, metadata: *m}\nkind: List\n",
		"anchor before":          "apiVersion: v1\nx: &v v1\nitems:\n- {apiVersion: *v, kind: B, metadata: {name: b}}\nkind: List\n",
		"deeper":                 "kind: List\nitems:   # some\n\n  # more\n  - apiVersion: v1\n    kind: A\n    metadata: {name: a}\n# comment\n  - apiVersion: v1\n    kind: A\n    metadata: {name: b}\nmetadata: {}\n",
		"alone on its line":      "kind: List\nitems:\n-\n  apiVersion: v1\n  kind: A\n  metadata: {name: a}\n-  \n  apiVersion: v1\n  kind: A\n  metadata: {name: b}",
		"in flow style":          "kind: List\nitems: [{apiVersion: v1, kind: A, metadata: {name: a}}]\n",
		"windows line ends":      "kind: List\r\nitems:\r\n- apiVersion: v1\r\n  kind: A\r\n  metadata: {name: a}\r\n- apiVersion: v1\r\n  kind: A\r\n  metadata: {name: b}\r\nmetadata: {}\r\n",
		"a list in a list":       "kind: List\nitems:\n- apiVersion: v1\n  kind: A\n  metadata: {name: a}\n  items:\n  - 1\n  -  2\n",
		"items in a field":       "kind: List\nspec:\n  items:\n  - 1\nitems:\n- apiVersion: v1\n  kind: A\n  metadata: {name: a}\n",
		"items in text":          "kind: List\nspec: |\n\n  items:\n  - 1\nitems:\n- apiVersion: v1\n  kind: A\n  metadata: {name: a}\n",
		"items in quotes":        "kind: List\nspec: \"\nitems:\n- 1\"\nitems:\n- apiVersion: v1\n  kind: A\n  metadata: {name: a}\n",
		"JSON, kind last":        `{"items":[{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"spec":{"\u0069tems":[1,2.5,-0,{}]}}],"kind":"List"}`,
		"JSON, escapes, no UTF8": "{\"kind\":\"List\",\"metadata\":{},\"items\":[{\"apiVersion\":\"v1\",\"kind\":\"A\",\"metadata\":{\"name\":\"a\\n\\u00e9\"},\"spec\":[true,false,null,\"\"]}]}",
	}
	for name, data := range tests {
		t.Run(name, func(t *testing.T) {
			want, ok := wholly([]byte(data))
			if !ok {
				t.Fatal("it is no list of objects for the other libraries")
			}
			objects, errs := Parse("f", []byte(data))
			if diff := cmp.Diff(want, contents(objects)); diff != "" || len(errs) > 0 {
				t.Errorf("errors %v; -whole +split\n%s", errs, diff)
			}
		})
	}
}

// FuzzSplit: a document that other libraries read as a list of objects has the same objects when it is read item by item.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{
		"apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n- {apiVersion: v1, kind: A, metadata: {name: b}}\nkind: List\n",
		"kind: List\nitems:\n- apiVersion: v1\n  kind: A\n  metadata: &a {name: \"x\n- y\"}\n- {apiVersion: v1, kind: A, metadata: *a}\n",
		"kind: List\nitems:\n  - apiVersion: v1\n    kind: A\n    metadata:\n      name: |\n        - a\n",
		`{"items":[{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}}],"kind":"List"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		want, ok := wholly(data)
		if !ok {
			return
		}
		objects, errs := Parse("f", data)
		if diff := cmp.Diff(want, contents(objects)); len(errs) == 0 && len(want) > 0 && diff != "" {
			t.Errorf("-whole +split\n%s", diff)
		}
	})
}

// TestPieces: how a file arrives, byte by byte or in large pieces, changes nothing.
func TestPieces(t *testing.T) {
	archives, _ := filepath.Glob("testdata/*.txtar")
	for _, path := range archives {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range txtar.Parse(data).Files {
			whole, faults := Parse("f", file.Data)
			want := describe(whole, faults, "")
			for name, pieces := range map[string]func(io.Reader) io.Reader{"bytes": iotest.OneByteReader, "halves": iotest.HalfReader,
				"last with its end": iotest.DataErrReader} {
				if diff := cmp.Diff(want, func() string {
					objects, errs := inPieces(file.Data, pieces)
					return describe(objects, errs,
						"")
				}()); diff != "" {
					t.Errorf("%s, %s: -whole +pieces\n%s", file.Name, name, diff)
				}
			}
		}
	}
}

// faultOf is a fault in a list: how it breaks an item, and whether the items after it can be read.
type faultOf struct {
	inJSON func(item string) string
	inYAML func(item string) string
	after  bool
}

var faultsOf = map[string]faultOf{
	"none":     {func(s string) string { return s }, func(s string) string { return s }, true},
	"a number": {func(string) string { return "7" }, func(string) string { return "7\n" }, true},
	"a key twice": {func(s string) string { return `{"metadata":{},` + s[1:] }, func(s string) string { return s + "spec: {a: 1, a: 2}\n" },
		true},
	"a bad bracket": {func(s string) string { return s[:len(s)-1] + "]" }, func(s string) string { return s + "spec: {a: 1]\n" }, false},
	"cut off":       {func(s string) string { return s[:len(s)/2] }, func(s string) string { return s + "spec: \"x\n" }, false},
}

// TestLists reads random lists, in JSON and in YAML, of several sizes, with the kind before or after the items and a fault in one of
// them: the objects are those that were
// written, up to the fault or without the faulty one, and the error has its line.
func TestLists(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, breaks := range faultsOf {
		for range 20 {
			n := 1 + r.IntN(30)
			bad := r.IntN(n)
			padding := strings.Repeat("- x: 'y' & {z}\n", r.IntN(30)*r.IntN(30)*r.IntN(2))
			early := r.IntN(2) == 0
			kinded := r.IntN(2) == 0 || !early && !breaks.after // a list that is cut off does not give its kind
			var inJSON, inYAML, wanted []string
			head, tail := `{"apiVersion":"v1","kind":"PodList","metadata":{},"items":[`+"\n", "\n]}"
			yamlHead, yamlTail := "kind: PodList\napiVersion: v1\nmetadata: {}\nitems:\n", ""
			if !early {
				head, tail = `{"items":[`+"\n", "\n],\n"+`"apiVersion":"v1","kind":"PodList"}`
				yamlHead, yamlTail = "items:\n", "kind: PodList\napiVersion: v1\n"
			}
			line, badLine := strings.Count(yamlHead, "\n")+1, 0
			for i := range n {
				content := map[string]any{"metadata": map[string]any{"name": fmt.Sprintf("a-%d", i)}, "data": map[string]any{"x": padding}}
				if kinded {
					content["apiVersion"], content["kind"] = "v1", "Pod"
				}
				asJSON, _ := json.Marshal(content)
				asYAML, _ := yaml.Marshal(content)
				a, b := string(asJSON), string(asYAML)
				if i == bad {
					a, b, badLine = breaks.inJSON(a), breaks.inYAML(b), line
				}
				if i != bad && (i < bad || breaks.after) || name == "none" {
					wanted = append(wanted, fmt.Sprintf("a-%d", i))
				}
				inJSON = append(inJSON, a)
				b = "- " + strings.TrimSuffix(strings.ReplaceAll(b, "\n", "\n  "), "  ")
				inYAML = append(inYAML, b)
				line += strings.Count(b, "\n")
			}
			check := func(form, text string, first, last int) {
				objects, errs := Parse("f", []byte(text))
				var got []string
				for _, o := range objects {
					got = append(got, nameOf(o.Content))
				}
				if diff := cmp.Diff(wanted, got); diff != "" {
					t.Errorf("%s, %s, %d items, bad %d: -want +got\n%s%v", name, form, n, bad, diff, errs)
				}
				if wantErrors := name != "none"; (len(errs) > 0) != wantErrors {
					t.Errorf("%s, %s: errors %v", name, form, errs)
				} else if wantErrors && (errs[0].Line < first || errs[0].Line > last) {
					t.Errorf("%s, %s: error %v, want it in lines %d to %d", name, form, errs[0], first, last)
				}
			}
			check("JSON", head+" "+strings.Join(inJSON, ",\n ")+tail, bad+2, bad+3)
			check("YAML", yamlHead+strings.Join(inYAML, "")+yamlTail, badLine, line+2)
		}
	}
}
