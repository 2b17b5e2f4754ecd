// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/gen"
)

// reserved are names of generated packages, which a kind of the same name would hide.
var reserved = []string{"Facts", "Kind", "Object", "Pass", "Spec", "Status"}

// operatorFiles are the files of a project, by name; PACKAGE is the folder of the kind.
var operatorFiles = []struct{ name, source string }{
	{"go.mod", "go.mod.txt"},
	{"main.go", "main.go.txt"},
	{"PACKAGE/doc.go", "doc.go.txt"},
	{"PACKAGE/catalog.yaml", "catalog.yaml"},
	{"PACKAGE/types.go", "types.go.txt"},
	{"PACKAGE/operator.go", "operator.go.txt"},
	{"PACKAGE/operator_test.go", "operator_test.go.txt"},
	{"PACKAGE/zz_generated.deepcopy.go", "deepcopy.go.txt"},
	{"Makefile", "Makefile.txt"},
	{"Dockerfile", "Dockerfile.txt"},
	{".gitignore", "gitignore.txt"},
	{"chart/Chart.yaml", "chart/Chart.yaml.txt"},
	{"chart/values.yaml", "chart/values.yaml.txt"},
	{"chart/crds/GROUP_PLURAL.yaml", "chart/crd.yaml.txt"}, // the name that controller-gen gives it
	{"chart/templates/rbac.yaml", "chart/templates/rbac.yaml.txt"},
	{"chart/templates/deployment.yaml", "chart/templates/deployment.yaml.txt"},
}

// runOperator writes the project of an operator, and what to do next to out. It writes nothing where one of the files exists.
func runOperator(out io.Writer, o *Options, n names) error {
	n.Module = cmp.Or(o.Module, "example.com/"+n.Lower+"-operator")
	n.Metric = strings.ReplaceAll(n.Lower, "-", "_")
	if n.Tristate = o.Program; !released(o.Program) {
		n.Tristate = "v0.0.0"
		if n.Clone = cmp.Or(o.Clone, findClone()); n.Clone == "" {
			return fmt.Errorf("this program (%s) is not a release that a project could require: name a clone of Tristate with --clone", o.Program)
		}
		if !isClone(n.Clone) {
			return fmt.Errorf("--clone %s is not a clone of Tristate: its go.mod does not name module %s", n.Clone, root)
		}
	}
	switch {
	case !modulePath.MatchString(n.Module):
		return fmt.Errorf("--module %q is not the path of a module, such as example.com/%s-operator", n.Module, n.Lower)
	case slices.Contains(reserved, n.Kind):
		return fmt.Errorf("a kind cannot be called %s: the generated package has that name", n.Kind)
	}
	contents := map[string][]byte{}
	var order []string
	add := func(name string, data []byte) {
		name = strings.NewReplacer("PACKAGE", n.Package, "GROUP", n.Group, "PLURAL", n.Plural).Replace(name)
		contents[name] = data
		order = append(order, name)
	}
	for _, f := range operatorFiles {
		data, err := fill("files/operator/"+f.source, n)
		if err != nil {
			return err
		}
		if strings.HasPrefix(f.name, "chart/templates/") { // Helm's own delimiters
			data = []byte(strings.NewReplacer("[[", "{{", "]]", "}}").Replace(string(data)))
		}
		add(f.name, data)
	}
	declared := contents[n.Package+"/catalog.yaml"]
	set, err := catalog.Load(map[string][]byte{"catalog.yaml": declared})
	if err != nil {
		return err
	}
	generated, err := gen.Go(set.Kinds()[0], n.Package, "catalog.yaml")
	if err != nil {
		return err
	}
	add("PACKAGE/zz_generated.go", generated)
	add("PACKAGE/catalog.schema.json", catalog.SchemaJSON)
	if err := writeAll(out, o.Dir, order, contents); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\nnext, in %s:\n  go mod tidy\n  make test\n  make generate   # after a change of the catalog or of types.go\n"+
		"  make run        # on the cluster of the current context\n"+
		"%[2]s/operator.go has the three functions, %[2]s/catalog.yaml the conditions\n", o.Dir, n.Package)
	if err == nil && n.Clone != "" {
		_, err = fmt.Fprintf(out, "this program is not a release: go.mod uses the modules of %s, and make image needs a release\n", n.Clone)
	}
	return err
}
