// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/source"
	"sigs.k8s.io/yaml"
)

// deployment packs the Helm chart and copies the plain manifests: of tristate run, with the definition of ConditionCatalog, and of serve.
// It also copies the template of GitLab, the plugins of k9s and the entry of the registry of MCP servers.
func (r *release) deployment() error {
	files := map[string]file{}
	chart := filepath.Join(r.root, "deploy", "chart")
	err := filepath.WalkDir(chart, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(chart, path)
		if name == "Chart.yaml" {
			data = r.versioned(data)
		}
		files["tristate/"+filepath.ToSlash(name)] = file{data, 0o644}
		return err
	})
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	if err := r.tar(&packed, files); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.out, "tristate-"+strings.TrimPrefix(r.version, "v")+".tgz"), packed.Bytes(), 0o644); err != nil {
		return err
	}
	for name, before := range map[string]string{"tristate.yaml": string(catalog.CRDYAML) + "---\n", "serve.yaml": "",
		"channels/gitlab.yml": "", "channels/k9s-plugins.yaml": "", "channels/server.json": ""} {
		data, err := os.ReadFile(filepath.Join(r.root, "deploy", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.out, filepath.Base(name)), append([]byte(before), r.versioned(data)...), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// development is the version in the tree.
const development = "0.0.0-dev"

// versioned replaces the version of the tree by that of the release.
func (r *release) versioned(data []byte) []byte {
	return bytes.ReplaceAll(data, []byte(development), []byte(strings.TrimPrefix(r.version, "v")))
}

// krew writes the manifest by which kubectl krew installs the plugin.
func (r *release) krew(archives map[platform]string, sums map[string]string) error {
	var platforms []object
	for _, p := range r.platforms {
		platforms = append(platforms, object{
			"selector": object{"matchLabels": object{"os": p.os, "arch": p.arch}},
			"uri":      r.address(archives[p]),
			"sha256":   sums[archives[p]],
			"bin":      p.program("kubectl-tristate"),
			"files": []object{{"from": p.program("tristate"), "to": p.program("kubectl-tristate")}, {"from": p.program(source.Program), "to": "."},
				{"from": "LICENSE", "to": "."}},
		})
	}
	data, err := yaml.Marshal(object{"apiVersion": "krew.googlecontainertools.github.com/v1alpha2", "kind": "Plugin",
		"metadata": object{"name": "tristate"},
		"spec": object{"version": r.version, "homepage": "https://github.com/tristate/tristate", "shortDescription": "Verdicts, trees and " +
			"causes from status conditions",
			"description": "Reads the status of any Kubernetes object: a verdict for each, the hierarchy\nbelow it, the cause of what is wrong, " +
				"and what to do about it.\n",
			"platforms": platforms}})
	if err != nil {
		return fmt.Errorf("krew: %w", err)
	}
	return r.channel("krew/tristate.yaml", data)
}

// formula writes the formula by which brew installs the commands, as the file of a tap.
func (r *release) formula(archives map[platform]string, sums map[string]string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "class Tristate < Formula\n  desc \"Verdicts, trees and causes from Kubernetes status conditions\"\n"+
		"  homepage \"https://github.com/tristate/tristate\"\n  version %q\n  license \"Apache-2.0\"\n", strings.TrimPrefix(r.version, "v"))
	for _, system := range []struct{ os, name string }{{"darwin", "macos"}, {"linux", "linux"}} {
		var archs strings.Builder
		for _, arch := range []struct{ arch, name string }{{"arm64", "arm"}, {"amd64", "intel"}} {
			if name, made := archives[platform{system.os, arch.arch}]; made {
				fmt.Fprintf(&archs, "    on_%s do\n      url %q\n      sha256 %q\n    end\n", arch.name, r.address(name), sums[name])
			}
		}
		if archs.Len() > 0 {
			fmt.Fprintf(&b, "\n  on_%s do\n%s  end\n", system.name, archs.String())
		}
	}
	fmt.Fprintf(&b, "\n  def install\n    bin.install \"tristate\", %q\n    bin.install_symlink \"tristate\" => \"kubectl-tristate\"\n"+
		"    generate_completions_from_executable(bin/\"tristate\", \"completion\")\n  end\n\n"+
		"  test do\n    assert_match \"ImagePullBackOff\", shell_output(\"#{bin}/tristate why deploy/web -f example:shop\")\n  end\nend\n",
		source.Program)
	return r.channel("homebrew/tristate.rb", []byte(b.String()))
}

// address is where a file of the release is downloaded.
func (r *release) address(name string) string {
	return "https://github.com/tristate/tristate/releases/download/" + r.version + "/" + name
}

// channel writes a file for a channel, which wants a name that a file of the release may have: so it is in a folder of its own.
func (r *release) channel(name string, data []byte) error {
	path := filepath.Join(r.out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
