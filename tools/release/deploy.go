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
	for name, before := range map[string]string{"tristate.yaml": string(catalog.CRDYAML) + "---\n", "serve.yaml": ""} {
		data, err := os.ReadFile(filepath.Join(r.root, "deploy", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.out, name), append([]byte(before), r.versioned(data)...), 0o644); err != nil {
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

// krew writes the manifest by which kubectl krew installs the plugin. Krew wants its file to have the name of the plugin, as the plain
// manifests have: so it is in a folder of its own, and not a file of the release.
func (r *release) krew(archives map[platform]string, sums map[string]string) error {
	var platforms []object
	for _, p := range r.platforms {
		platforms = append(platforms, object{
			"selector": object{"matchLabels": object{"os": p.os, "arch": p.arch}},
			"uri":      "https://github.com/tristate/tristate/releases/download/" + r.version + "/" + archives[p],
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
	if err := os.MkdirAll(filepath.Join(r.out, "krew"), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, "krew", "tristate.yaml"), data, 0o644)
}
