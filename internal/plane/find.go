// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotBuilt is the error where bin/localplane does not exist.
var ErrNotBuilt = errors.New("bin/localplane has not been built; run: make bin/localplane")

// moduleLine begins the go.mod at the root of the repository.
const moduleLine = "module github.com/tristate/tristate\n"

// find returns bin/localplane of the repository that holds the working directory.
func find() (string, error) {
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
