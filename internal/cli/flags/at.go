// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tristate/tristate/internal/cli/exit"
)

// ReadAt returns the catalogs of a file, a folder, or git:REVISION:PATH, by name.
func ReadAt(where string) (map[string][]byte, error) {
	rest, isGit := strings.CutPrefix(where, "git:")
	if !isGit {
		return ReadPath(where)
	}
	revision, at, ok := strings.Cut(rest, ":")
	if !ok || strings.HasPrefix(revision, "-") {
		return nil, exit.Usagef("--against %q is not git:REVISION:PATH", where)
	}
	names, err := git("ls-tree", "-r", "--name-only", "--full-tree", revision, "--", at)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for name := range strings.Lines(string(names)) {
		name = strings.TrimRight(name, "\n")
		if ext := filepath.Ext(name); ext != ".yaml" && ext != ".yml" && ext != ".json" {
			continue
		}
		data, err := git("show", revision+":"+name)
		if err != nil {
			return nil, err
		}
		if bytes.Contains(data, []byte("ConditionCatalog")) {
			out[revision+":"+name] = data
		}
	}
	if len(out) == 0 {
		return nil, exit.With(exit.NotFound, fmt.Errorf("revision %s has no catalogs at %s", revision, at))
	}
	return out, nil
}

func git(args ...string) ([]byte, error) {
	out, err := exec.Command("git", args...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return nil, fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(failed.Stderr)))
	}
	return out, err
}
