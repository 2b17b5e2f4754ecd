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
	"tristate": {".", "./cmd/tristate", 607,
		"the dynamic part of client-go and apimachinery, CEL for expressions, the metrics of Prometheus, a server of the Model Context Protocol"},
	"tristate-scan": {".", "./cmd/tristate-scan", 412,
		"x/tools to load Go code, catalogs for places in files"},
	"localplane": {"proof/localplane", ".", 2700,
		"etcd, kube-apiserver, kube-controller-manager, kube-scheduler and KWOK as they are upstream"},
	"localplane-api": {"proof/localplane", "./api", 2150,
		"etcd and kube-apiserver as they are upstream: what the demo compiles"},
	"kars-operator": {"systems/kars/operator", "./cmd/kars-operator", 1290,
		"controller-runtime; the catalogs, whose rows --conditions=document keeps; sigstore and a registry client to verify what a policy refers to; " +
			"the delegating authentication of an API server, which the filter of controller-runtime needs to protect the metrics"},
	"vworkspace-operator": {"systems/vworkspace/operator", "./cmd/vworkspace-operator", 1115,
		"controller-runtime; the API types of Flux; the delegating authentication, as for kars"},
	"policy-operator": {"examples/operator", "./policy-operator", 825,
		"controller-runtime; the operator of the guide"},
	"kro-operator": {"systems/kro/operator", "./cmd/kro-operator", 1145,
		"controller-runtime; the graph builder of kro, with the CEL that it asks for; the delegating authentication, as for kars"},
}

// imported is a package that a program compiles. The version is path@version of its module, replacements applied: of a module of the
// workspace path@, of one that a folder replaces path@replaced, and std@ of the standard library.
type imported struct {
	version string
	imports []string
}

// listings are the results of compiled, by program.
var listings = map[string]map[string]imported{}

// compiled returns the packages of a program by path.
func compiled(t *testing.T, name string) map[string]imported {
	t.Helper()
	if packages, ok := listings[name]; ok {
		return packages
	}
	p := programs[name]
	const format = `{{.ImportPath}} {{with .Module}}{{.Path}}@{{with .Replace}}{{or .Version "replaced"}}{{else}}{{.Version}}{{end}}{{else}}std@{{end}}` +
		`{{range .Imports}} {{.}}{{end}}`
	cmd := exec.Command("go", "list", "-deps", "-f", format, p.path)
	cmd.Dir = filepath.Join("..", "..", filepath.FromSlash(p.module))
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", p.module, p.path, err, &stderr)
	}
	packages := map[string]imported{}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) > 1 {
			packages[fields[0]] = imported{fields[1], fields[2:]}
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
			for _, p := range packages {
				if mod, _, _ := strings.Cut(p.version, "@"); mod != "std" && !strings.HasPrefix(mod, module) {
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
// they share, and the modules of this repository are in one workspace. The only exception is CEL in the operator for kro, which requires
// a newer one than kube-apiserver has: what imports it is compiled twice.
func TestSharedPackages(t *testing.T) {
	command := compiled(t, "tristate")
	cel := regexp.MustCompile(`^(cel\.dev/expr|github\.com/google/cel-go|github\.com/antlr4-go/antlr/v4)@`)
	for name, most := range map[string]int{"localplane": 0, "localplane-api": 0, "kars-operator": 0, "vworkspace-operator": 0, "policy-operator": 0,
		"kro-operator": 28} {
		packages := compiled(t, name)
		shared, other, twice := 0, map[string]string{}, map[string]bool{}
		var again func(path string) bool
		again = func(path string) bool {
			if is, seen := twice[path]; seen {
				return is
			}
			twice[path] = packages[path].version != command[path].version || slices.ContainsFunc(packages[path].imports, again)
			return twice[path]
		}
		count := 0
		for path, p := range packages {
			want, ok := command[path]
			if !ok {
				continue
			}
			if shared++; again(path) {
				count++
			}
			if p.version != want.version && (name != "kro-operator" || !cel.MatchString(p.version)) {
				other[p.version] = want.version
			}
		}
		t.Logf("%s shares %d of the %d packages of the command, and compiles %d of them again", name, shared, len(command), count)
		for _, version := range slices.Sorted(maps.Keys(other)) {
			t.Errorf("%s has %s, the command %s: all that both import is compiled twice. Take the newer one in both modules, or use the folder in go.work",
				name, version, other[version])
		}
		if count > most {
			t.Errorf("%s compiles %d packages of the command again, at most %d have a reason", name, count, most)
		}
	}
}
