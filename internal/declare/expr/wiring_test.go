// SPDX-License-Identifier: Apache-2.0

package expr

import "testing"

// TestServes: a port leads to one of a container by its name or its number, which is its own without a targetPort, and its protocol.
func TestServes(t *testing.T) {
	pods := []any{map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "a"}, map[string]any{"ports": []any{
		map[string]any{"name": "http", "containerPort": int64(8080)},
		map[string]any{"name": "dns", "containerPort": int64(53), "protocol": "UDP"}}}}}}}
	p, issues := Compile("serves(backend(self), self.spec.ports)", ScopeRelated, Any)
	if issues != nil {
		t.Fatal(issues)
	}
	for name, test := range map[string]struct {
		port map[string]any
		want bool
	}{
		"name":               {map[string]any{"port": int64(80), "targetPort": "http"}, true},
		"number":             {map[string]any{"port": int64(80), "targetPort": int64(8080), "protocol": "TCP"}, true},
		"its own number":     {map[string]any{"port": int64(8080)}, true},
		"a number of 0":      {map[string]any{"port": int64(8080), "targetPort": int64(0)}, true},
		"protocol":           {map[string]any{"port": int64(53), "targetPort": "dns", "protocol": "UDP"}, true},
		"another name":       {map[string]any{"port": int64(80), "targetPort": "https"}, false},
		"another number":     {map[string]any{"port": int64(80), "targetPort": int64(8081)}, false},
		"another protocol":   {map[string]any{"port": int64(8080), "protocol": "UDP"}, false},
		"without targetPort": {map[string]any{"port": int64(80)}, false},
	} {
		context := &Context{Around: &Around{Backend: func(map[string]any) []any { return pods }}}
		got, err := p.Eval(context, Values{Self: map[string]any{"spec": map[string]any{"ports": []any{test.port}}}})
		if err != nil || got != test.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
