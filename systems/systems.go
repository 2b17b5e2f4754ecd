// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

// Catalogs holds the catalogs, as SYSTEM/NAME.yaml.
//
//go:embed */catalog*.yaml
var Catalogs embed.FS

// CRDs holds CustomResourceDefinitions, as SYSTEM/crds.yaml. They are for demos and tests: a system itself brings its own, which are
// larger.
//
//go:embed */crds.yaml
var CRDs embed.FS

// Stories holds the stories, as SYSTEM/NAME.txtar: the folder stories of each system is left out of the names.
var Stories fs.FS = stories{}

// Demo returns the names of the stories that the demo plays, in this order.
func Demo() []string {
	return []string{"cluster-api/provisioning.txtar", "cluster-api/ssh-key-missing.txtar", "cluster-api/upgrade.txtar"}
}

//go:embed */stories/*.txtar
var embedded embed.FS

type stories struct{}

// Open implements [fs.FS].
func (stories) Open(name string) (fs.File, error) {
	if name == "." {
		return embedded.Open(name)
	}
	system, rest, _ := strings.Cut(name, "/")
	return embedded.Open(path.Join(system, "stories", rest))
}
