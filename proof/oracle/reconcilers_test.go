// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const clusterAPI = "sigs.k8s.io/cluster-api"

// reconcilersDiffer are the cases of Cluster API's reconcilers that fail on our code, with the reason.
var reconcilersDiffer = map[string]string{}

// TestUpstream_reconcilers runs the tests of Cluster API's reconcilers about status, which see the whole
// of the condition packages at work, on our code: in a copy of the module in which the package of v1beta1 is adapted as
// for TestUpstream. Tests that need an API server are
// left out. It compiles all of Cluster API, so it is for TRISTATE_ORACLE=long (make long in this folder).
func TestUpstream_reconcilers(t *testing.T) {
	if os.Getenv("TRISTATE_ORACLE") != "long" {
		t.Skip("compiles Cluster API: set TRISTATE_ORACLE=long")
	}
	dir, root := t.TempDir(), absolute(t, "../..")
	module := filepath.Join(dir, "module")
	if err := os.CopyFS(module, os.DirFS(listed(t, "{{.Module.Dir}}", clusterAPI+"/util/conditions"))); err != nil {
		t.Fatal(err)
	}
	requirements := bytes.Replace(content(t, "go.mod"), []byte("=> ../../"), []byte("=> "+root+"/"), -1)
	write(t, filepath.Join(dir, "go.mod"), append(requirements, "\nreplace "+clusterAPI+" => ./module\n"...))
	write(t, filepath.Join(dir, "go.sum"), content(t, "go.sum"))
	l := libraries["Cluster API v1beta1"]
	l.adapt(t, filepath.Join(module, strings.TrimPrefix(l.path, clusterAPI)))
	var packages, tests []string
	for _, pattern := range []string{"core/reconcilers/*/*status_test.go", "core/reconcilers/*/*/*status_test.go",
		"controlplane/kubeadm/reconcilers/*/*status_test.go"} {
		files, err := filepath.Glob(filepath.Join(module, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			path, err := filepath.Rel(module, filepath.Dir(file))
			if err != nil {
				t.Fatal(err)
			}
			packages = append(packages, clusterAPI+"/"+filepath.ToSlash(path))
			tests = append(tests, testsWithoutServer(string(content(t, file)))...)
			suite := filepath.Join(filepath.Dir(file), "suite_test.go")
			write(t, suite, renamed(t, content(t, suite), "TestMain")) // which starts the API server
		}
	}
	passed, failed, output := runTests(t, dir, append([]string{"-run", "^(" + strings.Join(tests, "|") + ")$"}, packages...)...)
	t.Logf("%d cases pass, %d fail", passed, len(failed))
	want := map[string]bool{}
	for name := range reconcilersDiffer {
		want[name] = true
	}
	if diff := cmp.Diff(want, failed); diff != "" {
		t.Errorf("cases that fail (-want +got):\n%s\n%s", diff, output)
	}
	if least := 400; passed < least {
		t.Errorf("%d cases pass, want at least %d", passed, least)
	}
}

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// testsWithoutServer returns the tests of a file that do not use the API server of the suite.
func testsWithoutServer(source string) []string {
	var out []string
	found := testFunction.FindAllStringSubmatchIndex(source, -1)
	for i, at := range found {
		end := len(source)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		if !strings.Contains(source[at[0]:end], "env.") {
			out = append(out, source[at[2]:at[3]])
		}
	}
	return out
}
