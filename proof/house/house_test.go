// SPDX-License-Identifier: Apache-2.0

package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/tristate/tristate"

// everything returns the packages that the floors hold: those of the modules that are developed together, see go.work, and of the module
// operator.
func everything(t *testing.T) []listed {
	t.Helper()
	return append(list(t, "./...", "./conditions/..."), listIn(t, "operator", "./...")...)
}

type listed struct {
	ImportPath, Dir, Doc string
	GoFiles              []string
	Imports, Deps        []string
}

func list(t *testing.T, args ...string) []listed {
	t.Helper()
	return listIn(t, "", args...)
}

// listIn lists packages of a module in a folder of the repository.
func listIn(t *testing.T, folder string, args ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Doc,GoFiles,Imports,Deps"}, args...)...)
	cmd.Dir = filepath.Join("..", "..", folder)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var packages []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// room is one package of docs/architecture.md: its floor, and whether it may import client-go or controller-runtime.
type room struct {
	floor  int
	client bool
}

// rooms reads the table of floors in docs/architecture.md.
func rooms(t *testing.T) map[string]room {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]room{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) [^|]*\| ([^|]*) \|$`).FindAllStringSubmatch(string(page), -1) {
		floor, err := strconv.Atoi(row[1])
		if err != nil {
			t.Fatal(err)
		}
		for _, cell := range regexp.MustCompile("`([^`]+)`( c)?").FindAllStringSubmatch(row[2], -1) {
			if _, twice := out[cell[1]]; twice {
				t.Errorf("docs/architecture.md lists %s twice", cell[1])
			}
			out[cell[1]] = room{floor: floor, client: cell[2] != ""}
		}
	}
	return out
}

func TestImports(t *testing.T) {
	const upright = "arrows point down only, see the floors in docs/architecture.md"
	rooms, seen := rooms(t), map[string]bool{}
	for _, p := range everything(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		example := strings.HasPrefix(name, "examples/")
		here, listed := rooms[name]
		if seen[name] = true; !listed && !example {
			lowest := 0
			for _, imported := range p.Imports {
				if other, ours := strings.CutPrefix(imported, module+"/"); ours {
					lowest = max(lowest, rooms[other].floor+1)
				}
			}
			t.Errorf("%s is not in the table of floors of docs/architecture.md: add it to floor %d, which is above everything that it imports, or to a higher one", name, lowest)
			continue
		}
		for _, imported := range p.Imports {
			client := strings.HasPrefix(imported, "k8s.io/client-go") || strings.HasPrefix(imported, "sigs.k8s.io/controller-runtime")
			if client && !here.client && !example && imported != "k8s.io/client-go/util/jsonpath" {
				t.Errorf("%s imports %s: only packages that talk to a cluster may, see docs/architecture.md", name, imported)
			}
			other, ours := strings.CutPrefix(imported, module+"/")
			if !ours || example {
				continue
			}
			within := strings.HasPrefix(name, other+"/") // an implementation imports the interface above it
			if there, ok := rooms[other]; ok && there.floor >= here.floor && !within {
				t.Errorf("%s (floor %d) imports %s (floor %d): %s", name, here.floor, other, there.floor, upright)
			}
		}
	}
	for name := range rooms {
		if !seen[name] {
			t.Errorf("docs/architecture.md lists %s, which is no package", name)
		}
	}
}

// TestConditionsIsSmall: the library imports nothing but apimachinery's meta/v1 and its dependencies.
func TestConditionsIsSmall(t *testing.T) {
	meta := list(t, "k8s.io/apimachinery/pkg/apis/meta/v1")[0]
	for _, p := range list(t, "./conditions", "./conditions/rollup", "./conditions/wire") {
		for _, dep := range p.Deps {
			if dep != meta.ImportPath && !slices.Contains(meta.Deps, dep) && !strings.HasPrefix(dep, module+"/conditions") {
				t.Errorf("%s pulls in %s, which meta/v1 does not", p.ImportPath, dep)
			}
		}
	}
}

func TestEveryPackageHasADoc(t *testing.T) {
	for _, p := range everything(t) {
		if p.Doc == "" && len(p.GoFiles) > 0 {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

func TestFiles(t *testing.T) {
	for _, p := range everything(t) {
		files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(file)
			if !bytes.HasPrefix(data, []byte("// SPDX-License-Identifier: Apache-2.0\n")) && !bytes.Contains(data, []byte("Code generated")) {
				t.Errorf("%s/%s does not start with the licence line", p.ImportPath, name)
			}
			if lines := bytes.Count(data, []byte("\n")); lines > 600 && !strings.HasSuffix(name, "_test.go") &&
				!bytes.Contains(data, []byte("Code generated")) {
				t.Errorf("%s/%s has %d lines, more than 600", p.ImportPath, name, lines)
			}
		}
	}
}

// public are the packages that a user imports, with the number of names that each may export: constants, variables, functions, types and
// methods. A name more has to be worth it.
var public = map[string]int{
	"conditions": 119, "conditions/rollup": 12, "conditions/wire": 17, "conditions/conditionstest": 27, "conditions/capi": 14, "catalog": 9,
	"verdict": 71, "apply": 38, "controller": 9,
	"operator": 27, "operator/child": 26, "operator/enqueue": 11, "operator/operatortest": 6, "operator/program": 8, "catalogs": 7, "systems": 5,
}

func TestPublicNames(t *testing.T) {
	for name, most := range public {
		files, err := filepath.Glob(filepath.Join("..", "..", name, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		var parsed []*ast.File
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(set, file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, f)
		}
		p, err := doc.NewFromFiles(set, parsed, name)
		if err != nil {
			t.Fatal(err)
		}
		n := len(p.Funcs)
		values := func(list []*doc.Value) {
			for _, v := range list {
				n += len(slices.DeleteFunc(slices.Clone(v.Names), func(name string) bool { return !ast.IsExported(name) }))
			}
		}
		values(p.Consts)
		values(p.Vars)
		for _, typ := range p.Types {
			values(typ.Consts)
			values(typ.Vars)
			n += 1 + len(typ.Funcs) + len(typ.Methods)
		}
		if t.Logf("%s exports %d names", name, n); n > most {
			t.Errorf("%s exports %d names, more than %d: hide one, or raise the number in the variable public of this test", name, n, most)
		}
	}
}
