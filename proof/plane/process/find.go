// SPDX-License-Identifier: Apache-2.0

package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotBuilt is the error where bin/localplane does not exist.
var ErrNotBuilt = errors.New("bin/localplane has not been built; run: make bin/localplane")

// envPlane is set to off to hide bin/localplane.
const envPlane = "TRISTATE_PLANE"

// moduleLine begins the go.mod at the root of the repository.
const moduleLine = "module github.com/tristate/tristate\n"

// Find returns bin/localplane of the repository that holds the working directory. TRISTATE_PLANE=off hides it: the inner loop's tests then
// skip as if it had not been built.
func Find() (string, error) {
	if os.Getenv(envPlane) == "off" {
		return "", fmt.Errorf("%s=off: %w", envPlane, ErrNotBuilt)
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(mod), moduleLine) {
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no repository around the working directory: %w", ErrNotBuilt)
		}
		dir = parent
	}
	path := filepath.Join(dir, "bin", "localplane")
	if _, err := os.Stat(path); err != nil {
		return "", ErrNotBuilt
	}
	return path, nil
}
