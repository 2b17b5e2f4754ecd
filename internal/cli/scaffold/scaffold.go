// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/english"
)

//go:embed files
var files embed.FS

// Options are those of the command.
type Options struct {
	Kind     string // Kind.group
	Version  string
	Dir      string
	Operator bool   // a whole project
	Module   string // of the project; empty: example.com/KIND-operator
	Program  string // version of the program, which the project requires if it is a release
	Clone    string // of Tristate, whose modules the project uses otherwise; empty: the clone that the program was built in
}

// Command returns the command of a program of a version.
func Command(out io.Writer, version string) *cobra.Command {
	o := &Options{Program: version}
	c := &cobra.Command{
		Use:   "init KIND.GROUP",
		Short: "Start a catalog: one of everything, a story, the go:generate line; or a whole operator",
		Long: "Write a catalog with one of everything that can be declared, each with a comment, a story about it that passes, generate.go " +
			"with the go:generate line, and " +
			"the JSON Schema for the editor. With --operator write the project of an operator that runs: type, catalog, the functions gather, " +
			"judge and conclude, main, test, " +
			"Makefile, Dockerfile, and a chart with definition, roles and values. Files that exist are not overwritten.",
		Example: "  tristate init ToolPolicy.kars.example.com\n  tristate init Shop.example.com --version v1beta1 --dir api/shop\n" +
			"  tristate init --operator Shop.example.com --dir shop-operator",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.Kind = args[0]
			return Run(out, o)
		},
	}
	c.Flags().StringVar(&o.Version, "version", "v1alpha1", "version of the kind")
	c.Flags().StringVar(&o.Dir, "dir", ".", "directory to write to")
	c.Flags().BoolVar(&o.Operator, "operator", false, "write the project of an operator")
	c.Flags().StringVar(&o.Module, "module", "", "module path of the project (default example.com/KIND-operator)")
	c.Flags().StringVar(&o.Clone, "clone", "", "clone of Tristate whose modules the project uses if this program is not a release (default the clone "+
		"that it was built in)")
	return c
}

// names fill the templates.
type names struct {
	Kind, Group, Version, Plural, Lower, Package string
	Module, Metric, Tristate, Clone              string // of a project
}

var (
	kindName    = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	groupName   = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$`)
	versionName = regexp.MustCompile(`^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$`)
	// modulePath is a host and elements that neither begin nor end with a dot, as go mod accepts them for a module that is fetched.
	modulePath = regexp.MustCompile(`^[a-z0-9][-a-z0-9]*(\.[a-z0-9][-a-z0-9]*)+(/[-~\w]([-.~\w]*[-~\w])?)*$`)
)

func (o *Options) names() (names, error) {
	gk := catalog.ParseGroupKind(o.Kind)
	lower := strings.ToLower(gk.Kind)
	n := names{Kind: gk.Kind, Group: gk.Group, Version: o.Version, Plural: english.Plural(lower), Lower: lower, Package: lower}
	switch {
	case !kindName.MatchString(n.Kind):
		return n, fmt.Errorf("%q is not a kind: write it as Kind.group, for example ToolPolicy.kars.example.com", o.Kind)
	case !groupName.MatchString(n.Group):
		return n, fmt.Errorf("%q has no API group of two words or more: write it as Kind.group, for example %s.example.com", o.Kind, n.Kind)
	case !versionName.MatchString(n.Version):
		return n, fmt.Errorf("--version %q: want v1, v1beta1, v1alpha1 or the like", n.Version)
	}
	if token.IsKeyword(n.Package) {
		n.Package += "s"
	}
	return n, nil
}

// Run writes the files, and what to do next to out. It writes nothing where one of them exists.
func Run(out io.Writer, o *Options) error {
	n, err := o.names()
	if err != nil {
		return err
	}
	if o.Operator {
		return runOperator(out, o, n)
	}
	contents := map[string][]byte{"catalog.schema.json": catalog.SchemaJSON}
	order := []string{"catalog.yaml", "story.txtar", "workloads.yaml", "generate.go", "catalog.schema.json"}
	for _, name := range order[:4] {
		source := "files/" + name
		if name == "generate.go" {
			source += ".txt" // or it would be a package of its own
		}
		if contents[name], err = fill(source, n); err != nil {
			return err
		}
	}
	if err := writeAll(out, o.Dir, order, contents); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\nnext:\n  tristate check %[1]s\n  tristate play --catalogs %[1]s,%[4]s %[2]s\n  tristate gen go %[1]s --out "+
		"%[3]s\n",
		filepath.Join(o.Dir, "catalog.yaml"), filepath.Join(o.Dir, "story.txtar"), o.Dir, filepath.Join(o.Dir, "workloads.yaml"))
	return err
}

// writeAll creates files below a folder, and prints their names; where one of them exists it writes nothing.
func writeAll(out io.Writer, dir string, order []string, contents map[string][]byte) error {
	var exist []error
	for _, name := range order {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			exist = append(exist, fmt.Errorf("%s exists already", filepath.Join(dir, name)))
		}
	}
	if len(exist) > 0 {
		return errors.Join(append(exist, errors.New("nothing was written; choose another directory with --dir"))...)
	}
	for _, name := range order {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := write(file, contents[name]); err != nil {
			return err
		}
		fmt.Fprintf(out, "wrote %s\n", file)
	}
	return nil
}

// write creates a file; one that has come meanwhile is left alone.
func write(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

func fill(source string, n names) ([]byte, error) {
	data, err := files.ReadFile(source)
	if err != nil {
		return nil, err
	}
	t, err := template.New(source).Option("missingkey=error").Parse(string(data))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, n)
	return b.Bytes(), err
}
