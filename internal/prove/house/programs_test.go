// SPDX-License-Identifier: Apache-2.0

package house

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/programs again")

// program is a main package of a module of the repository. Each package that it imports, its own and those of others, is compiled on an
// empty machine before it can run.
type program struct {
	module, path string
	most         int    // packages
	why          string // what most of them are for
}

var programs = map[string]program{
	"tristate": {".", "./cmd/tristate", 599,
		"the dynamic part of client-go and apimachinery, CEL for expressions, the metrics of Prometheus, a server of the Model Context Protocol"},
	"tristate-scan": {".", "./cmd/tristate-scan", 450,
		"x/tools to load Go code, a WebAssembly runtime to parse code of other languages with the grammars of Tree-sitter, catalogs for places in files"},
	"localplane": {"localplane", ".", 2700,
		"etcd, kube-apiserver, kube-controller-manager, kube-scheduler and KWOK as they are upstream"},
	"localplane-api": {"localplane", "./api", 2150,
		"etcd and kube-apiserver as they are upstream: what the demo compiles"},
	"kars-operator": {"operators", "./kars/cmd/kars-operator", 1185,
		"controller-runtime; the catalogs, whose rows --conditions=document keeps; sigstore and a registry client to verify what a policy refers to"},
	"vworkspace-operator": {"operators", "./vworkspace/cmd/vworkspace-operator", 880,
		"controller-runtime; the API types of Flux"},
	"kro-operator": {"operators/kro", "./cmd/kro-operator", 990,
		"controller-runtime; the graph builder of kro, with the CEL that it asks for"},
}

// listings are the results of compiled, by program.
var listings = map[string]map[string]string{}

// compiled returns the packages of a program, each with its module as path@version, replacements applied; std is the standard library.
func compiled(t *testing.T, name string) map[string]string {
	t.Helper()
	if packages, ok := listings[name]; ok {
		return packages
	}
	p := programs[name]
	const format = `{{.ImportPath}} {{with .Module}}{{.Path}}@{{with .Replace}}{{.Version}}{{else}}{{.Version}}{{end}}{{else}}std@{{end}}`
	cmd := exec.Command("go", "list", "-deps", "-f", format, p.path)
	cmd.Dir = filepath.Join("..", "..", "..", filepath.FromSlash(p.module))
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", p.module, p.path, err, &stderr)
	}
	packages := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if name, from, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			packages[name] = from
		}
	}
	listings[name] = packages
	return packages
}

// TestPrograms: no program compiles more packages than the list allows, in all and from each module of others. testdata/programs has these
// modules and how many packages of each; -update writes it again.
func TestPrograms(t *testing.T) {
	for name, p := range programs {
		t.Run(name, func(t *testing.T) {
			packages, counts := compiled(t, name), map[string]int{}
			for _, from := range packages {
				if mod, _, _ := strings.Cut(from, "@"); mod != "std" && !strings.HasPrefix(mod, module) {
					counts[mod]++
				}
			}
			t.Logf("%s: %d packages of %d modules", name, len(packages), len(counts))
			if len(packages) > p.most {
				t.Errorf("%s compiles %d packages, at most %d are for %s: drop an import, or raise the number with a reason and run with -update", name,
					len(packages), p.most, p.why)
			}
			file := filepath.Join("testdata", "programs", name)
			if *update {
				var list strings.Builder
				for _, mod := range slices.Sorted(maps.Keys(counts)) {
					fmt.Fprintf(&list, "%s %d\n", mod, counts[mod])
				}
				if err := os.WriteFile(file, []byte(list.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			allowed := readCounts(t, file)
			for _, mod := range slices.Sorted(maps.Keys(counts)) {
				if counts[mod] > allowed[mod] {
					t.Errorf("%s compiles %d packages of %s, %s allows %d; go mod why -m %[3]s shows the import, -update allows it", name, counts[mod],
						mod, file, allowed[mod])
				}
			}
		})
	}
}

func readCounts(t *testing.T, file string) map[string]int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		mod, number, _ := strings.Cut(lines.Text(), " ")
		if counts[mod], err = strconv.Atoi(number); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	return counts
}

// TestSharedPackages: what is compiled for the command serves the control plane and the operators, as all have the same versions of what
// they share. The only exception is CEL in the operator for kro, which requires a newer one than kube-apiserver has.
func TestSharedPackages(t *testing.T) {
	command := compiled(t, "tristate")
	cel := regexp.MustCompile(`^(cel\.dev/expr|github\.com/google/cel-go|github\.com/antlr4-go/antlr/v4)@`)
	for _, name := range []string{"localplane", "localplane-api", "kars-operator", "vworkspace-operator", "kro-operator"} {
		shared, other := 0, map[string]string{}
		for path, from := range compiled(t, name) {
			want, ok := command[path]
			if !ok || strings.HasPrefix(path, module) {
				continue
			}
			if shared++; from != want && (name != "kro-operator" || !cel.MatchString(from)) {
				other[from] = want
			}
		}
		t.Logf("%s shares %d of the %d packages of the command", name, shared, len(command))
		for _, from := range slices.Sorted(maps.Keys(other)) {
			t.Errorf("%s has %s, the command %s: all that both import is compiled twice. Take the newer one in both modules", name, from,
				other[from])
		}
	}
}
