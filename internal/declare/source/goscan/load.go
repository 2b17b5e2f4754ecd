// SPDX-License-Identifier: Apache-2.0

package goscan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/source"
	"golang.org/x/tools/go/packages"
)

const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes |
	packages.NeedTypesInfo | packages.NeedImports |
	packages.NeedExportFile | packages.NeedModule

// Options are for tests: the zero value is what the command scans with.
type Options struct {
	// Env is the environment of the go command; nil means the process's.
	Env []string
	// FromSource reads the declarations of dependencies from their source, without cgo. Otherwise they are read so only where more than a few
	// are not built yet: it is much cheaper than building them, and dearer than reading the built ones.
	FromSource bool
}

// Scan scans packages of the module that encloses a folder, without tests: those below the folder. The
// packages that they use of the rest of the module are read to follow values, and have no sites of their own. Packages that do not compile
// are scanned as far as they can be read and named in Faults.
func Scan(ctx context.Context, dir string, o Options) (*source.Scan, error) {
	dir, err := filepath.EvalSymlinks(dir) // as the go command names files
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	found, used, err := load(ctx, absolute, fset, o)
	if err != nil {
		return nil, fmt.Errorf("load the packages of %s: %w", dir, err)
	}
	s := &scanner{fset: fset, dir: absolute, scan: &source.Scan{Root: dir},
		funcs: map[*types.Func]*function{}, lits: map[*ast.FuncLit]*function{}, params: map[*types.Var]param{},
		callers: map[*function][]call{}, values: map[*types.Var][]assigned{}, elems: map[*types.Var][]assigned{}, parts: map[part][]assigned{},
		shared: map[*types.Var]bool{}, ours: map[*types.Package]bool{},
		named: map[string][]*function{}, seen: map[siteKey]*source.Site{}, asked: map[string]bool{}, kept: map[*types.TypeName]bool{},
		guarded: map[*types.Var]bool{}}
	for _, p := range found {
		for _, e := range p.Errors {
			file, rest, _ := strings.Cut(e.Pos, ":")
			e.Pos = strings.TrimSuffix(s.name(file)+":"+rest, ":")
			s.scan.Faults = append(s.scan.Faults, e.Error())
		}
		for _, name := range p.CompiledGoFiles {
			s.asked[name] = true
		}
	}
	for _, p := range append(found, used...) {
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

// load returns the packages that match the patterns and the other packages of their module that they use.
func load(ctx context.Context, dir string, fset *token.FileSet, o Options) (found, used []*packages.Package, err error) {
	module, err := above(dir, "go.mod")
	if err != nil {
		return nil, nil, err
	}
	if module == "" {
		return nil, nil, errors.New("neither the folder nor one above it has a go.mod")
	}
	patterns := []string{"./..."}
	config := &packages.Config{Context: ctx, Mode: mode, Dir: dir, Fset: fset, Env: environment(o.Env, module)}
	if o.FromSource || !built(config, patterns) {
		fromSource(config, module)
	}
	var asked map[string]bool // the packages that match; nil: all
	if dir != module {
		asked = map[string]bool{}
		names := *config
		names.Mode, names.ParseFile = packages.NeedName|packages.NeedImports|packages.NeedDeps|packages.NeedModule, nil
		roots, err := packages.Load(&names, patterns...)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range roots {
			asked[p.ID] = true
		}
		for _, p := range within(roots) {
			if !asked[p.ID] {
				patterns = append(patterns[:len(patterns):len(patterns)], p.PkgPath)
			}
		}
	}
	all, err := packages.Load(config, patterns...)
	for _, p := range all {
		if asked == nil || asked[p.ID] {
			found = append(found, p)
		} else {
			used = append(used, p)
		}
	}
	return found, used, err
}

// within returns the packages of the modules of some packages among these and everything that they import.
func within(roots []*packages.Package) []*packages.Package {
	modules := map[string]bool{}
	for _, p := range roots {
		if p.Module != nil {
			modules[p.Module.Path] = true
		}
	}
	var out []*packages.Package
	packages.Visit(roots, nil, func(p *packages.Package) {
		if p.Module != nil && modules[p.Module.Path] {
			out = append(out, p)
		}
	})
	return out
}

// few is how many packages the go command may build for a scan.
const few = 20

// built reports whether the go command has the packages that match and nearly all that they use in its cache. It builds
// nothing, and returns true if it cannot tell, for example if a package does not compile.
func built(c *packages.Config, patterns []string) bool {
	command := exec.CommandContext(c.Context, "go", append([]string{"build", "-n"}, patterns...)...)
	command.Dir, command.Env = c.Dir, c.Env
	plan, err := command.CombinedOutput() // the plan is written to standard error
	return err != nil || bytes.Count(plan, []byte("/compile ")) <= few
}

// fromSource changes a configuration so that dependencies are loaded from source. The bodies of functions outside of the root are dropped
// when they are parsed.
func fromSource(c *packages.Config, root string) {
	c.Mode = c.Mode&^packages.NeedExportFile | packages.NeedDeps
	c.Env = append(slices.Clip(c.Env), "CGO_ENABLED=0")
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

// position returns a place, with the file named below the folder as it was given.
func (s *scanner) position(pos token.Pos) catalog.Position {
	p := s.fset.Position(pos)
	return catalog.Position{File: s.name(p.Filename), Line: p.Line, Column: p.Column}
}

// name returns the name of a file below the folder as it was given.
func (s *scanner) name(file string) string {
	if relative, err := filepath.Rel(s.dir, file); err == nil && filepath.IsLocal(relative) {
		return filepath.ToSlash(filepath.Join(s.scan.Root, relative))
	}
	return file
}
