// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// library is a library whose own unit tests are run on our code: in a copy of its sources that exists for the compiler alone, some
// functions get another name, and those of testdata/upstream take their places.
type library struct {
	path     string            // of the package
	adapter  string            // file of testdata/upstream
	replaced map[string]string // file to the functions that are replaced in it, as they are declared, separated by "|"
	least    int               // how many cases there are at least
	differ   map[string]string // cases that fail, with the reason
}

var libraries = map[string]library{
	"Cluster API v1beta1": {path: "sigs.k8s.io/cluster-api/util/conditions/deprecated/v1beta1", adapter: "capiv1beta1.go", least: 90,
		replaced: map[string]string{
			"merge.go": "merge", "getter.go": "mirror", "setter.go": "Set", "patch.go": "(p Patch) Apply",
		}},
}

// TestUpstream runs the unit tests of each library, as they come from the module cache, on our code. An upgrade of a module shows here
// what it changes.
func TestUpstream(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles upstream's tests")
	}
	for name, l := range libraries {
		t.Run(name, func(t *testing.T) {
			passed, failed, output := l.run(t)
			t.Logf("%d cases pass, %d fail", passed, len(failed))
			want := map[string]bool{}
			for name := range l.differ {
				want[name] = true
			}
			if diff := cmp.Diff(want, failed); diff != "" {
				t.Errorf("cases that fail (-want +got):\n%s\n%s", diff, output)
			}
			if passed < l.least {
				t.Errorf("%d cases pass, want at least %d", passed, l.least)
			}
		})
	}
}

// run returns the number of cases that pass, and those that fail: tests and subtests that have no subtests.
func (l library) run(t *testing.T) (passed int, failed map[string]bool, output string) {
	t.Helper()
	return runTests(t, l.copied(t), ".")
}

// runTests runs tests in a directory, with arguments of go test.
func runTests(t *testing.T, dir string, arguments ...string) (passed int, failed map[string]bool, output string) {
	t.Helper()
	// the tests need more modules than we do
	cmd := exec.Command("go", append([]string{"test", "-count=1", "-vet=off", "-mod=mod", "-json"}, arguments...)...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	raw, err := cmd.Output()
	failed = map[string]bool{}
	var text bytes.Buffer
	parents, results := map[string]bool{}, map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		var event struct{ Action, Package, Test, Output string }
		if json.Unmarshal(lines.Bytes(), &event) != nil {
			continue
		}
		text.WriteString(event.Output)
		if event.Test == "" {
			continue
		}
		name := event.Test
		if len(arguments) > 1 { // of several packages
			name = event.Package[strings.LastIndexByte(event.Package, '/')+1:] + ": " + event.Test
		}
		if at := strings.LastIndexByte(name, '/'); at >= 0 {
			parents[name[:at]] = true
		}
		if event.Action == "pass" || event.Action == "fail" {
			results[name] = event.Action
		}
	}
	if len(results) == 0 {
		t.Fatalf("%v\n%s", err, text.String())
	}
	for name, result := range results {
		switch {
		case parents[name]:
		case result == "pass":
			passed++
		default:
			failed[name] = true
		}
	}
	if len(failed) > 0 {
		output = text.String()
	}
	return passed, failed, output
}

// copied writes a module for the duration of the test, with the requirements of this one: upstream's package with other names for the
// functions that are replaced, and the adapter. It returns the directory.
func (l library) copied(t *testing.T) string {
	t.Helper()
	dir, root := t.TempDir(), absolute(t, "../..")
	requirements := bytes.Replace(content(t, "go.mod"), []byte("=> ../../"), []byte("=> "+root+"/"), -1)
	write(t, filepath.Join(dir, "go.mod"), requirements)
	write(t, filepath.Join(dir, "go.sum"), content(t, "go.sum"))
	if err := os.CopyFS(filepath.Join(dir, "setters"), os.DirFS("setters")); err != nil { // the module has the name of this one
		t.Fatal(err)
	}
	l.adapt(t, dir)
	return dir
}

// adapt copies upstream's package into a directory, with other names for the functions that are replaced, and the adapter.
func (l library) adapt(t *testing.T, to string) {
	t.Helper()
	write(t, filepath.Join(to, "zz_tristate.go"), content(t, filepath.Join("testdata", "upstream", l.adapter)))
	files, err := filepath.Glob(filepath.Join(listed(t, "{{.Dir}}", l.path), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name, source := filepath.Base(file), content(t, file)
		if functions := l.replaced[name]; functions != "" {
			for _, function := range strings.Split(functions, "|") {
				source = renamed(t, source, function)
			}
		}
		write(t, filepath.Join(to, name), source)
	}
}

// listed asks the go command about a package.
func listed(t *testing.T, format, path string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", format, path).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	out, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func content(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// write makes a file anew: those of the module cache are read-only, and so are their copies.
func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// renamed returns a function another name where it is declared.
func renamed(t *testing.T, source []byte, function string) []byte {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(function) + `\(`)
	if n := len(declared.FindAll(source, -1)); n != 1 {
		t.Fatalf("%s is declared %d times", function, n)
	}
	at := strings.LastIndexByte(function, ' ') + 1
	name := function[at:]
	return declared.ReplaceAllLiteral(source, []byte("func "+function[:at]+"upstream"+strings.ToUpper(name[:1])+name[1:]+"("))
}
