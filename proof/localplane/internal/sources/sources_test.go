// SPDX-License-Identifier: Apache-2.0

package sources

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// module returns the folder of a module that localplane is built with.
func module(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		t.Fatalf("go list -m %s: %v", path, err)
	}
	return strings.TrimSpace(string(out))
}

// scanned are the folders that are searched, by module, and the patterns of the words in them.
var (
	types = map[string][]string{
		"k8s.io/api":                     {"."},
		"k8s.io/apiextensions-apiserver": {"pkg/apis/apiextensions/v1"},
		"k8s.io/kube-aggregator":         {"pkg/apis/apiregistration/v1"},
	}
	reasons = map[string][]string{
		"k8s.io/api": {"."},
		"k8s.io/kubernetes": {"pkg/controller", "pkg/scheduler", "pkg/kubelet/status", "pkg/kubelet/nodestatus",
			"pkg/registry/core"},
		"k8s.io/apiextensions-apiserver": {"pkg/controller", "pkg/registry"},
		"k8s.io/kube-aggregator":         {"pkg/controllers/status", "pkg/apis/apiregistration/v1"},
		"k8s.io/apiserver":               {"pkg/util/flowcontrol", "pkg/storageversion"},
		"k8s.io/cloud-provider":          {"controllers/route"},
	}
	aType = regexp.MustCompile(`(?m)^\s*(?:const )?(?:\w*Condition\w*|\w+\s+\w*ConditionType|PodGroupScheduled)(?:\s+string)?\s*=\s*"(\w+)"`)
	aWord = regexp.MustCompile(
		`\bReason:\s+"(\w+)"|\.Reason = "(\w+)"|\b\w*[rR]eason\w*(?:\s+\w+)?\s*:?= "([A-Z]\w+)"|\w*Condition\w*\([^"\n]*, "([A-Z]\w+)"|^\s+v1\.Namespace\w+:\s+"(\w+)"`)
)

// catalogs returns the text of the catalogs of Kubernetes, by file.
func catalogs(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../../../catalogs/kubernetes/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no catalogs: %v", err)
	}
	out := map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[file] = string(data)
	}
	return out
}

// TestSources: no word of the sources is missing in the catalogs.
func TestSources(t *testing.T) {
	known := map[string]bool{}
	word := regexp.MustCompile(`(?:- type: |\{reason: )(\w+)`)
	for _, text := range catalogs(t) {
		for _, m := range word.FindAllStringSubmatch(text, -1) {
			known[m[1]] = true
		}
	}
	other, err := os.ReadFile("testdata/other.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(other), "\n") {
		name, _, _ := strings.Cut(line, " ")
		known[name] = true
	}
	for _, scan := range []struct {
		in      map[string][]string
		pattern *regexp.Regexp
	}{{types, aType}, {reasons, aWord}} {
		for path, folders := range scan.in {
			root := module(t, path)
			for _, folder := range folders {
				err := filepath.WalkDir(filepath.Join(root, folder), func(file string, d os.DirEntry, err error) error {
					if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") ||
						strings.HasSuffix(file, ".pb.go") {
						return err
					}
					data, err := os.ReadFile(file)
					if err != nil {
						return err
					}
					for i, line := range strings.Split(string(data), "\n") {
						for _, m := range scan.pattern.FindAllStringSubmatch(line, -1) {
							if name := strings.Join(m[1:], ""); !known[name] {
								known[name] = true
								t.Errorf("%s/%s:%d: %s is in no catalog, and not in testdata/other.txt", path, strings.TrimPrefix(file, root+"/"), i+1, name)
							}
						}
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestLines: the line of the sources that a catalog names has the word.
func TestLines(t *testing.T) {
	line := regexp.MustCompile(`- type: (\w+) # (\S+):(\d+)|# (\S+):(\d+)\n    - \{reason: (\w+)`)
	known := map[string][]string{}
	lines := 0
	for file, text := range catalogs(t) {
		for _, m := range line.FindAllStringSubmatch(text, -1) {
			name, source, number := m[1]+m[6], m[2]+m[4], m[3]+m[5]
			parts := strings.SplitN(source, "/", 3)
			if known[source] == nil {
				data, err := os.ReadFile(filepath.Join(module(t, parts[0]+"/"+parts[1]), parts[2]))
				if err != nil {
					t.Fatal(err)
				}
				known[source] = strings.Split(string(data), "\n")
			}
			lines++
			if n, err := strconv.Atoi(number); err != nil || n > len(known[source]) || !strings.Contains(known[source][n-1], `"`+name+`"`) {
				t.Errorf("%s: %s is not in line %s of %s", file, name, number, source)
			}
		}
	}
	if lines < 200 {
		t.Errorf("only %d lines are named", lines)
	}
}
