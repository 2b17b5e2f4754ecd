// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"errors"
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
	"go.yaml.in/yaml/v3"
)

// TestYAMLError pins the form of the errors of the library.
func TestYAMLError(t *testing.T) {
	var node yaml.Node
	broken := yaml.Unmarshal([]byte("a: 1\nb: [\nc: 2\n"), &node)
	control := yaml.Unmarshal([]byte("a: \x01\n"), &node)
	for name, tt := range map[string]struct {
		err     error
		line    int
		message string
	}{
		"syntax":    {broken, 1, "did not find expected ',' or ']'"},
		"no line":   {control, 0, "control characters are not allowed"},
		"of others": {errors.New("line of text: x"), 0, "line of text: x"},
	} {
		line, message := catalog.YAMLError(tt.err)
		if line != tt.line || message != tt.message {
			t.Errorf("%s: want %d %q, got %d %q (%v)", name, tt.line, tt.message, line, message, tt.err)
		}
	}
}
