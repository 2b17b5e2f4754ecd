// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// TestRun makes a release of a small command for this platform, and reads each of its files.
func TestRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "dist")
	t.Setenv("SOURCE_DATE_EPOCH", "1767323045")
	if err := run(t.Context(), &release{root: "../..", programs: map[string]string{"tristate": "./tools/schemagen",
		"tristate-scan": "./tools/schemagen"}, version: "v1.2.3", out: out}, "linux/"+
		runtime.GOARCH); err != nil {
		t.Fatal(err)
	}
	archive := "tristate_1.2.3_linux_" + runtime.GOARCH
	files := untar(t, filepath.Join(out, archive+".tar.gz"))
	for _, name := range []string{"tristate", "tristate-scan", "LICENSE", "README.md", "tristate.spdx.json", "completions/tristate.bash",
		"completions/_tristate", "completions/tristate.fish",
		"completions/tristate.ps1", "completions/kubectl_complete-tristate", "man/tristate.1", "man/tristate-status.1", "man/tristate-gen-go.1"} {
		if len(files[name]) == 0 {
			t.Errorf("%s is not in the archive", name)
		}
	}
	if !bytes.Contains(files["man/tristate-status.1"], []byte("tristate 1.2.3")) && !bytes.Contains(files["man/tristate-status.1"],
		[]byte("v1.2.3")) {
		t.Error("the man page does not name the version")
	}
	var bill struct {
		SPDXVersion string
		Packages    []struct{ Name, VersionInfo string }
	}
	if err := json.Unmarshal(files["tristate.spdx.json"], &bill); err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for _, p := range bill.Packages {
		known[p.Name] = p.VersionInfo
	}
	if known["github.com/tristate/tristate"] != "v1.2.3" || known["stdlib"] == "" {
		t.Errorf("the SBOM knows %v", known)
	}

	chart := untar(t, filepath.Join(out, "tristate-1.2.3.tgz"))
	if !bytes.Contains(chart["tristate/Chart.yaml"], []byte("version: 1.2.3\n")) || len(chart["tristate/crds/conditioncatalogs.yaml"]) == 0 {
		t.Errorf("the chart:\n%s", chart["tristate/Chart.yaml"])
	}
	plain := read(t, filepath.Join(out, "tristate.yaml"))
	if !bytes.Contains(plain, []byte("conditioncatalogs.tristate.dev")) ||
		!bytes.Contains(plain, []byte("ghcr.io/tristate/tristate:v1.2.3")) || bytes.Contains(plain, []byte(development)) {
		t.Error("the plain manifests lack the definition, or the version")
	}
	serve := read(t, filepath.Join(out, "serve.yaml"))
	if !bytes.Contains(serve, []byte("ghcr.io/tristate/tristate:v1.2.3")) || bytes.Contains(serve, []byte(development)) {
		t.Error("the manifests of serve lack the version of their image")
	}

	for _, name := range []string{"gitlab.yml", "k9s-plugins.yaml", "server.json"} {
		if data := read(t, filepath.Join(out, name)); len(data) == 0 || bytes.Contains(data, []byte(development)) {
			t.Errorf("%s lacks the version", name)
		}
	}

	sums, err := checksums(out)
	if err != nil {
		t.Fatal(err)
	}
	formula := string(read(t, filepath.Join(out, "homebrew", "tristate.rb")))
	if !strings.Contains(formula, "/v1.2.3/"+archive+".tar.gz") || !strings.Contains(formula, sums[archive+".tar.gz"]) {
		t.Errorf("the formula:\n%s", formula)
	}
	for name, sum := range sums {
		if !bytes.Contains(read(t, filepath.Join(out, "checksums.txt")), []byte(sum+"  "+name+"\n")) {
			t.Errorf("checksums.txt lacks %s", name)
		}
	}
	var plugin struct {
		Spec struct {
			Version   string
			Platforms []struct{ URI, SHA256, Bin string }
		}
	}
	if err := yaml.Unmarshal(read(t, filepath.Join(out, "krew", "tristate.yaml")), &plugin); err != nil {
		t.Fatal(err)
	}
	if p := plugin.Spec.Platforms; len(p) != 1 || p[0].SHA256 != sums[archive+".tar.gz"] || !strings.HasSuffix(p[0].URI, "/v1.2.3/"+archive+
		".tar.gz") || p[0].Bin != "kubectl-tristate" {
		t.Errorf("the krew manifest: %+v", p)
	}
	var statement struct {
		Subject []struct {
			Name   string
			Digest map[string]string
		}
	}
	if err := json.Unmarshal(read(t, filepath.Join(out, "tristate_v1.2.3.intoto.jsonl")), &statement); err != nil {
		t.Fatal(err)
	}
	subjects := map[string]string{}
	for _, s := range statement.Subject {
		subjects[s.Name] = s.Digest["sha256"]
	}
	if diff := cmp.Diff(sums, subjects); diff != "" {
		t.Errorf("the provenance is about other files: -want +got\n%s", diff)
	}
}

// TestArchive_same: packing the same files twice gives the same bytes.
func TestArchive_same(t *testing.T) {
	r := &release{version: "v1.0.0"}
	files := map[string]file{"b": {[]byte("two"), 0o755}, "a": {[]byte("one"), 0o644}}
	for name, pack := range map[string]func(*bytes.Buffer, map[string]file) error{"tar": r.tar, "zip": r.zip} {
		var first, second bytes.Buffer
		if err := errors.Join(pack(&first, files), pack(&second, files)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: two archives of the same files differ", name)
		}
	}
}

func TestRun_refuses(t *testing.T) {
	tests := map[string]struct{ version, platforms, want string }{
		"a version":  {"1.0", "linux/amd64", "want vX.Y.Z"},
		"a platform": {"v1.0.0", "linux", "want os/arch"},
	}
	for name, test := range tests {
		if err := run(t.Context(), &release{version: test.version}, test.platforms); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func untar(t *testing.T, name string) map[string][]byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(read(t, name)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		if out[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}
