// SPDX-License-Identifier: Apache-2.0

package explain

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/verdict"
	"sigs.k8s.io/yaml"
)

// builtIn is how a kind of a standard API server is judged.
type builtIn struct {
	Kind       string        `json:"kind"`
	APIVersion string        `json:"apiVersion"`
	Cases      []builtInCase `json:"cases"`
}

// builtInCase is one case of a kind, with an object that it decides.
type builtInCase struct {
	When    string         `json:"when"`
	Verdict verdict.Status `json:"verdict"`
	Reason  string         `json:"reason"`
	Object  map[string]any `json:"object"`
}

//go:embed builtin.yaml
var builtInYAML []byte

// builtIns are the kinds with their cases, in the order in which they are looked at.
var builtIns = sync.OnceValues(func() (out []builtIn, err error) {
	err = yaml.UnmarshalStrict(builtInYAML, &out)
	return out, err
})

// kubernetes are the catalogs of Kubernetes itself.
var kubernetes = sync.OnceValues(func() (*catalog.Set, error) {
	files, err := catalog.ReadFS(catalogs.Kubernetes, "kubernetes")
	if err != nil {
		return nil, err
	}
	return catalog.LoadShipped(files)
})

// findBuiltIn finds a kind by its name, with or without its group; nil without one.
func findBuiltIn(word string) *builtIn {
	list, err := builtIns()
	if err != nil {
		return nil
	}
	for i := range list {
		group, _, found := strings.Cut(list[i].APIVersion, "/")
		if strings.EqualFold(word, list[i].Kind) || found && strings.EqualFold(word, list[i].Kind+"."+group) {
			return &list[i]
		}
	}
	return nil
}

// write writes the cases of a kind in order.
func (b *builtIn) write(out io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s (%s)\nBy rules for the kind, the first that applies. A deletion comes first: Terminating.\n\n", b.Kind,
		b.APIVersion)
	for _, c := range b.Cases {
		fmt.Fprintf(&text, "%-10s  %-24s  %s\n", c.Verdict, c.Reason, c.When)
	}
	_, err := io.WriteString(out, text.String())
	return err
}
