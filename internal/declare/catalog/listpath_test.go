// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const route = `{"status":{
	"conditions":[{"type":"A"}],
	"listeners":[{"name":"http","attachedRoutes":3,"conditions":[{"type":"B"}]},{"name":"https"},7],
	"parents":[{"controllerName":"example.com/c","parentRef":{"name":"gw","namespace":"infra","port":80},"conditions":[{"type":"C"}]},
		{"conditions":"x"}],
	"groups":[{"name":"a","items":[{"name":"b","conditions":[]},{"name":"c"}]},{"name":"d"}]}}`

func TestListPath(t *testing.T) {
	tests := map[string][]string{
		"status.conditions":              {`status.conditions  [map[type:A]]`},
		"status.listeners[*].conditions": {"status.listeners[0].conditions http [map[type:B]]", "status.listeners[1].conditions https []"},
		"status.parents[*].conditions": {
			"status.parents[0].conditions controllerName=example.com/c,parentRef.name=gw,parentRef.namespace=infra,parentRef.port=80 [map[type:C]]"},
		"status.groups[*].items[*].conditions": {"status.groups[0].items[0].conditions a/b []", "status.groups[0].items[1].conditions a/c []"},
		"status.none[*].conditions":            nil,
		"status.deep.conditions":               {"status.deep.conditions  []"},
		"status.listeners.list":                nil,
	}
	for path, want := range tests {
		t.Run(path, func(t *testing.T) {
			p, err := parseListPath(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(path, p.String()); diff != "" {
				t.Errorf("path (-want +got):\n%s", diff)
			}
			var got []string
			for _, place := range p.lists(decodeJSON(t, route)) {
				got = append(got, fmt.Sprintf("%s %s %v", place.Path, place.Key, place.List))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("lists (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseListPath(t *testing.T) {
	tests := map[string]string{
		"":                     `list path "": "" is not a name`,
		"status..conditions":   `list path "status..conditions": "" is not a name`,
		"status.list[0].c":     `list path "status.list[0].c": "list[0]" is not a name`,
		"status.conditions[*]": `list path "status.conditions[*]": ends in [*], where the conditions list itself must stand`,
	}
	for path, want := range tests {
		if _, err := parseListPath(path); err == nil || err.Error() != want {
			t.Errorf("%q: want error %s, got %v", path, want, err)
		}
	}
}

// FuzzLists: whatever an object and a path look like, its lists are found without panicking, and the object is not changed.
func FuzzLists(f *testing.F) {
	f.Add([]byte(route), "status.parents[*].conditions")
	f.Add([]byte(route), "status.groups[*].items[*].conditions")
	f.Add([]byte(`{"status":[]}`), "status.conditions")
	f.Fuzz(func(t *testing.T, data []byte, path string) {
		p, err := parseListPath(path)
		if err != nil {
			return
		}
		if p.String() != path {
			t.Fatalf("path %q became %q", path, p)
		}
		var object map[string]any
		if json.Unmarshal(data, &object) != nil || object == nil {
			return
		}
		p.lists(object)
		if diff := cmp.Diff(decodeJSON(t, string(data)), object); diff != "" {
			t.Errorf("changed (-want +got):\n%s", diff)
		}
	})
}

func decodeJSON(t *testing.T, data string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(data), &m); err != nil {
		t.Fatal(err)
	}
	return m
}
