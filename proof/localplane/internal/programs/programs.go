// SPDX-License-Identifier: Apache-2.0

// Package programs finds etcd, kube-apiserver and kube-controller-manager on this machine.
package programs

import (
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/tristate/tristate/proof/localplane/internal/supervisor"
)

// EnvAssets names the folder of the programs, as for the tests of controller-runtime.
const EnvAssets = "KUBEBUILDER_ASSETS"

// Find returns the programs by component, and where they are from: all from the folder that EnvAssets names, else all from PATH. etcd and
// kube-apiserver are required, kube-controller-manager is optional.
func Find(getenv func(string) string) (programs map[string]string, from string, err error) {
	from = "PATH"
	look := exec.LookPath
	if folder := getenv(EnvAssets); folder != "" {
		from = EnvAssets + "=" + folder
		look = func(name string) (string, error) { return exec.LookPath(filepath.Join(folder, name)) }
	}
	programs = map[string]string{}
	for _, name := range []string{supervisor.Etcd, supervisor.APIServer, supervisor.ControllerManager} {
		path, err := look(name)
		if err == nil {
			path, err = filepath.Abs(path)
		}
		switch {
		case err == nil:
			programs[name] = path
		case name != supervisor.ControllerManager:
			return nil, from, fmt.Errorf("%s of %s: %w", name, from, err)
		}
	}
	return programs, from, nil
}
