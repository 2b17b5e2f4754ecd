// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// root is the path of the root module.
const root = "github.com/tristate/tristate"

var (
	releaseVersion = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-(alpha|beta|rc)\.[0-9]+)?$`)
	rootModule     = regexp.MustCompile(`(?m)^module ` + regexp.QuoteMeta(root) + `$`)
)

// released reports whether a version of the program is one that a module proxy has.
func released(version string) bool {
	return releaseVersion.MatchString(version) && !strings.HasPrefix(version, "v0.0.0")
}

// findClone returns the clone that the program was built in, or that has the working directory, or "" without such a clone.
func findClone() string {
	_, source, _, _ := runtime.Caller(0) // without a folder if the program was built with -trimpath
	program, _ := os.Executable()
	here, _ := os.Getwd()
	for _, start := range []string{filepath.Dir(source), filepath.Dir(program), here} {
		for dir := start; filepath.IsAbs(dir); dir = filepath.Dir(dir) {
			if isClone(dir) {
				return dir
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return ""
}

// isClone reports whether a folder has the root module.
func isClone(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && rootModule.Match(data)
}
