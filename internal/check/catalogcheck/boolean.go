// SPDX-License-Identifier: Apache-2.0

package catalogcheck

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/declare/catalog"
	"go.yaml.in/yaml/v3"
)

// booleans are what YAML 1.1 reads as true or false and YAML 1.2 as text.
var booleans = []string{"y", "yes", "on", "n", "no", "off"}

func yamlBoolean(p *check.Pass) {
	for _, file := range slices.Sorted(maps.Keys(p.Catalogs.Files)) {
		p.Subject()
		for d := yaml.NewDecoder(bytes.NewReader(p.Catalogs.Files[file])); ; {
			var root yaml.Node
			if err := d.Decode(&root); errors.Is(err, io.EOF) || err != nil {
				break // catalog/parse reports what cannot be read
			}
			plain(&root, 0, func(n *yaml.Node) {
				p.Report(catalog.Position{File: file, Line: n.Line, Column: n.Column}, file+" "+n.Value, "%s is a boolean for YAML 1.1", n.Value).
					Try("write it in quotes: %q", n.Value)
			})
		}
	}
}

// plain calls do for every word without quotes that is a boolean in YAML 1.1 and not in 1.2.
func plain(n *yaml.Node, depth int, do func(*yaml.Node)) {
	if n.Kind == yaml.ScalarNode && n.Style == 0 && n.ShortTag() == "!!str" && slices.Contains(booleans, strings.ToLower(n.Value)) &&
		(n.Value == strings.ToLower(n.Value) || n.Value == strings.ToUpper(n.Value) || n.Value[1:] == strings.ToLower(n.Value[1:])) {
		do(n)
	}
	if depth > 1000 {
		return
	}
	for _, c := range n.Content { // an alias has no content of its own
		plain(c, depth+1, do)
	}
}
