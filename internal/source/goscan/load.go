// SPDX-License-Identifier: Apache-2.0

package goscan

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/catalog"
	"github.com/tristate/tristate/internal/source"
	"golang.org/x/tools/go/packages"
)

const mode = packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports |
	packages.NeedExportFile | packages.NeedModule

// Options choose the packages to scan.
type Options struct {
	// Patterns are packages as the go command takes them; none: ./...
	Patterns []string
	// Env is the environment of the go command; nil: that of the process.
	Env []string
	// FromSource reads the declarations of dependencies from their source, without cgo, where they are not built: much cheaper than
	// building them, and dearer than reading the built ones.
	FromSource bool
}

// Scan scans the packages of the module at a folder, tests aside. Packages that do not compile are scanned as far as they can be read and
// named in Faults.
func Scan(ctx context.Context, dir string, o Options) (*source.Scan, error) {
	patterns := o.Patterns
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	config := &packages.Config{Context: ctx, Mode: mode, Dir: dir, Fset: token.NewFileSet(), Env: o.Env}
	if o.FromSource {
		fromSource(config)
	}
	found, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, fmt.Errorf("load the packages of %s: %w", dir, err)
	}
	s := &scanner{fset: config.Fset, dir: dir, scan: &source.Scan{Root: dir, Language: "Go"},
		funcs: map[*types.Func]*function{}, lits: map[*ast.FuncLit]*function{}, params: map[*types.Var]param{},
		callers: map[*function][]call{}, values: map[*types.Var][]assigned{}, elems: map[*types.Var][]assigned{}, parts: map[part][]assigned{}, shared: map[*types.Var]bool{}, ours: map[*types.Package]bool{},
		named: map[string][]*function{}, seen: map[siteKey]*source.Site{}}
	if absolute, err := filepath.Abs(dir); err == nil {
		s.dir = absolute
	}
	for _, p := range found {
		for _, e := range p.Errors {
			s.scan.Faults = append(s.scan.Faults, strings.ReplaceAll(e.Error(), s.dir+string(filepath.Separator), ""))
		}
		if p.Types != nil && p.TypesInfo != nil {
			s.pkgs = append(s.pkgs, p)
			s.ours[p.Types] = true
		}
	}
	if len(s.pkgs) == 0 {
		return nil, fmt.Errorf("load the packages of %s: no package could be read: %s", dir, strings.Join(s.scan.Faults, "; "))
	}
	for _, p := range s.pkgs {
		s.declare(p)
	}
	for _, p := range s.pkgs {
		s.index(p)
	}
	s.link()
	for _, k := range s.sinks {
		s.emit(k)
	}
	s.finish()
	return s.scan, nil
}

// fromSource makes a configuration load dependencies from source. The bodies of their functions are dropped when they are parsed.
func fromSource(c *packages.Config) {
	c.Mode = c.Mode&^packages.NeedExportFile | packages.NeedDeps
	if c.Env == nil {
		c.Env = os.Environ()
	}
	c.Env = append(slices.Clip(c.Env), "CGO_ENABLED=0")
	root, err := filepath.Abs(c.Dir)
	if err != nil {
		root = c.Dir
	}
	c.ParseFile = func(fset *token.FileSet, name string, data []byte) (*ast.File, error) {
		file, err := parser.ParseFile(fset, name, data, parser.SkipObjectResolution|parser.AllErrors)
		if file != nil && !strings.HasPrefix(name, root+string(filepath.Separator)) {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					f.Body = nil
				}
			}
		}
		return file, err
	}
}

// position is a place relative to the folder that is scanned.
func (s *scanner) position(pos token.Pos) catalog.Position {
	p := s.fset.Position(pos)
	name := p.Filename
	if relative, err := filepath.Rel(s.dir, name); err == nil && !strings.HasPrefix(relative, "..") {
		name = filepath.ToSlash(relative)
	}
	return catalog.Position{File: name, Line: p.Line, Column: p.Column}
}

// IsModule reports whether a folder holds a Go module.
func IsModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}
