// SPDX-License-Identifier: Apache-2.0

package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/tristate/tristate"

type listed struct {
	ImportPath, Dir, Doc string
	GoFiles              []string
	Imports, Deps        []string
}

func list(t *testing.T, args ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Doc,GoFiles,Imports,Deps"}, args...)...)
	cmd.Dir = filepath.Join("..", "..")
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

// mayUseClients are the packages that may import client-go or controller-runtime (DESIGN.md section 2), and helpers of tests.
var mayUseClients = []string{"apply", "controller", "operators", "internal/cli", "internal/plane", "internal/live", "examples/operator", "examples/operator/policy-operator", "internal/demo", "internal/cluster", "internal/output", "cmd/tristate"}

// ours is what each package may import of ours; a package that is not listed may import any that does not import it.
var ours = map[string][]string{
	"conditions": {},
	"verdict":    {"conditions"},
	"catalog":    {"conditions", "internal/expr"},
	"relation":   {"conditions", "verdict", "internal/expr", "internal/packed", "catalog"},
	"derive":     {"conditions", "internal/expr", "catalog", "relation"},
}

func TestImports(t *testing.T) {
	for _, p := range list(t, "./...") {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		clients := slices.ContainsFunc(mayUseClients, func(m string) bool { return name == m || strings.HasPrefix(name, m+"/") })
		allowed, limited := ours[name]
		for _, imported := range p.Imports {
			if !clients && imported != "k8s.io/client-go/util/jsonpath" && (strings.HasPrefix(imported, "k8s.io/client-go") || strings.HasPrefix(imported, "sigs.k8s.io/controller-runtime")) {
				t.Errorf("%s imports %s: only packages that talk to a cluster may", name, imported)
			}
			if other, found := strings.CutPrefix(imported, module+"/"); found && limited && !slices.Contains(allowed, other) {
				t.Errorf("%s imports %s: arrows point down only", name, other)
			}
		}
	}
}

// TestConditionsIsSmall: what an operator takes in with the library is no more than apimachinery's meta/v1.
func TestConditionsIsSmall(t *testing.T) {
	meta := list(t, "k8s.io/apimachinery/pkg/apis/meta/v1")[0]
	for _, dep := range list(t, "./conditions")[0].Deps {
		if dep != meta.ImportPath && !slices.Contains(meta.Deps, dep) {
			t.Errorf("conditions pulls in %s, which meta/v1 does not", dep)
		}
	}
}

func TestEveryPackageHasADoc(t *testing.T) {
	for _, p := range list(t, "./...") {
		if p.Doc == "" && len(p.GoFiles) > 0 {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

func TestFiles(t *testing.T) {
	for _, p := range list(t, "./...") {
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
			if lines := bytes.Count(data, []byte("\n")); lines > 600 && !strings.HasSuffix(name, "_test.go") && !bytes.Contains(data, []byte("Code generated")) {
				t.Errorf("%s/%s has %d lines, more than 600", p.ImportPath, name, lines)
			}
		}
	}
}
